package io.argosy.node.agent.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.SecurityContext.Seccomp;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom a container's process is told to be, and what it must not be. */
class SecurityContextsTest {
    private static final Path PROFILES = Path.of("/seccomp");

    private static Image image(String user) {
        ImageConfig config =
                new ImageConfig(List.of(), List.of(), List.of("x"), user, "", "", List.of(), List.of(), Map.of());
        return new Image("sha256:x", List.of(), List.of(), 0, List.of(), config);
    }

    private static SecurityContext of(
            PodSecurityContext shared, io.fabric8.kubernetes.api.model.SecurityContext own, Image image) {
        Pod pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid("u")
                .endMetadata()
                .withNewSpec()
                .withSecurityContext(shared)
                .addNewContainer()
                .withName("a")
                .withSecurityContext(own)
                .endContainer()
                .endSpec()
                .build();
        return SecurityContexts.of(pod, pod.getSpec().getContainers().getFirst(), image, PROFILES);
    }

    @ParameterizedTest
    @CsvSource({
        "'',-1,'container has runAsNonRoot and image will run as root'",
        "0,-1,'container has runAsNonRoot and image will run as root'",
        "web,-1,'container has runAsNonRoot and image has non-numeric user (web), cannot verify user is non-root'",
        "1000,0,'container''s runAsUser breaks non-root policy'",
        "1000,-1,''",
        "web,1000,''"
    })
    void whoMustNotBeRootIsNot(String imageUser, long user, String complaint) {
        PodSecurityContext shared = new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withRunAsUser(user < 0 ? null : user)
                .build();
        if (complaint.isEmpty()) {
            of(shared, null, image(imageUser));
        } else {
            assertThatThrownBy(() -> of(shared, null, image(imageUser)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage(complaint + " (pod: \"p_ns(u)\", container: a)");
        }
    }

    @Test
    void theContainersWordsGoBeforeThePods() {
        PodSecurityContext shared = new PodSecurityContextBuilder()
                .withRunAsUser(1000L)
                .withRunAsGroup(2000L)
                .withFsGroup(3000L)
                .withSupplementalGroups(4000L)
                .withSupplementalGroupsPolicy("Strict")
                .withNewSeccompProfile("mine.json", "Localhost")
                .build();
        SecurityContext made = of(
                shared,
                new SecurityContextBuilder()
                        .withRunAsUser(1001L)
                        .withAllowPrivilegeEscalation(false)
                        .withReadOnlyRootFilesystem(true)
                        .withProcMount("Unmasked")
                        .build(),
                image(""));
        assertThat(made.user()).hasValue(1001);
        assertThat(made.group()).hasValue(2000);
        assertThat(made.supplementalGroups()).containsExactly(4000L, 3000L);
        assertThat(made.strictGroups()).isTrue();
        assertThat(made.noNewPrivileges()).isTrue();
        assertThat(made.readOnlyRootfs()).isTrue();
        assertThat(made.maskedPaths()).contains(List.of());
        assertThat(made.readOnlyPaths()).contains(List.of());
        assertThat(made.seccomp()).isEqualTo(new Seccomp.Localhost(PROFILES.resolve("mine.json")));
    }

    @Test
    void aProfileOutsideItsFolderIsRefused() {
        PodSecurityContext shared = new PodSecurityContextBuilder()
                .withNewSeccompProfile("../passwd", "Localhost")
                .build();
        assertThatThrownBy(() -> of(shared, null, image(""))).isInstanceOf(ConfigException.class);
    }
}
