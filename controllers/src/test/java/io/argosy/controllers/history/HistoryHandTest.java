package io.argosy.controllers.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Histories that a workload finds; the cache knows nothing of them, as if it were behind. */
class HistoryHandTest {
    private final FakeApi api = new FakeApi(new VirtualClock(Instant.parse("2026-01-01T00:00:00Z")));
    private final Client client = api.client();
    private final HistoryHand<StatefulSet> hand = new HistoryHand<>(
            client,
            new SharedInformers(api, new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"))),
            StatefulSet.class);

    @Test
    void whatANamesakeLeftBehindIsTakenInThoughTheCacheDoesNotKnowIt() {
        StatefulSet first = create("nginx:2");
        settle(first);
        ControllerRevision left = revisions().getFirst();
        client.resources(ControllerRevision.class)
                .update(new ControllerRevisionBuilder(left)
                        .editMetadata()
                        .withOwnerReferences()
                        .endMetadata()
                        .build());
        client.resources(StatefulSet.class).delete("default", "web", io.argosy.client.Resources.DeleteOptions.DEFAULT);

        StatefulSet second = create("nginx:2");
        RevisionHistory history = settle(second);
        assertThat(history.create()).isFalse();
        assertThat(history.update().getMetadata().getName())
                .isEqualTo(left.getMetadata().getName());
        assertThat(revisions())
                .singleElement()
                .satisfies(revision -> assertThat(revision.getMetadata()
                                .getOwnerReferences()
                                .getFirst()
                                .getUid())
                        .isEqualTo(second.getMetadata().getUid()));
    }

    @Test
    void anotherTemplateGetsTheNextNumber() {
        StatefulSet set = create("nginx:1");
        settle(set);
        set.getSpec().setTemplate(Manifests.template("web", "nginx:2"));
        assertThat(settle(set).create()).isTrue();
        assertThat(revisions()).extracting(ControllerRevision::getRevision).containsExactlyInAnyOrder(1L, 2L);
    }

    private List<ControllerRevision> revisions() {
        return client.resources(ControllerRevision.class).list("default", Map.of());
    }

    private RevisionHistory settle(StatefulSet set) {
        PodTemplateSpec template = set.getSpec().getTemplate();
        LabelSelector selector = set.getSpec().getSelector();
        return hand.settle(
                new HistoryHand.Owner<>(set, selector, template, null, 0, new RevisionHistory.Keeping(10, Set.of())));
    }

    private StatefulSet create(String image) {
        return client.resources(StatefulSet.class)
                .create(new StatefulSetBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("web")
                        .endMetadata()
                        .withNewSpec()
                        .withNewSelector()
                        .addToMatchLabels("app", "web")
                        .endSelector()
                        .withTemplate(Manifests.template("web", image))
                        .endSpec()
                        .build());
    }
}
