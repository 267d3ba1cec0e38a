package io.argosy.node.agent.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is to be done about a mirror, by what it shows and what runs. */
class MirrorActionTest {
    @ParameterizedTest
    @CsvSource({
        ", , false, KEEP",
        "h1, , false, CREATE",
        ", h1, false, DELETE",
        "h1, h1, false, KEEP",
        "h2, h1, false, DELETE",
        "h1, h1, true, DELETE"
    })
    void theMirrorFollowsThePod(String pod, String mirror, boolean deleting, StaticPods.MirrorAction action) {
        assertThat(StaticPods.actionFor(
                        Optional.ofNullable(pod).map(hash -> annotated(StaticPod.HASH, hash, false)),
                        Optional.ofNullable(mirror).map(hash -> annotated(StaticPod.MIRROR, hash, deleting))))
                .isEqualTo(action);
    }

    private static Pod annotated(String key, String hash, boolean deleting) {
        return new PodBuilder()
                .withNewMetadata()
                .addToAnnotations(key, hash)
                .withDeletionTimestamp(deleting ? "2026-01-01T00:00:00Z" : null)
                .endMetadata()
                .build();
    }
}
