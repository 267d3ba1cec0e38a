package io.argosy.node.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.image.Credentials;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of a pod's pull secrets opens which registry. */
class PullSecretsTest {
    private static final Map<String, String> SECRETS = Map.of(
            "old", """
            {"https://index.docker.io/v1/":{"auth":"YW5uOnNlY3JldA=="}}\
            """,
            "new", """
            {"auths":{"registry.example:5000":{"username":"bob","password":"a:b"},"https://other.example/v2/":{"auth":"ZXZlOg=="}}}\
            """,
            "newer", """
            {"auths":{"registry.example:5000":{"username":"rob","password":"c"}}}\
            """,
            "paths", """
            {"auths":{"*.example":{"username":"star","password":"1"},"hub.example":{"username":"all","password":"1"},
            "https://hub.example/v2/team-a":{"username":"a","password":"1"},
            "east-?.*.example:80":{"username":"zone","password":"1"}}}\
            """,
            "broken", "no json");

    private static final ConfigSource CONFIGS = new ConfigSource() {
        @Override
        public Optional<ConfigMap> configMap(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public Optional<Secret> secret(String namespace, String name) {
            String key = name.equals("old") ? ".dockercfg" : ".dockerconfigjson";
            return Optional.ofNullable(SECRETS.get(name))
                    .map(text -> new SecretBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .endMetadata()
                            .addToData(key, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)))
                            .build());
        }

        @Override
        public Optional<List<ClusterTrustBundle>> trustBundles() {
            return Optional.empty();
        }
    };

    private static Pod pod(String... secrets) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .endMetadata()
                .withNewSpec()
                .endSpec();
        for (String secret : secrets) {
            pod.editSpec().addNewImagePullSecret(secret).endSpec();
        }
        return pod.build();
    }

    @ParameterizedTest
    @CsvSource({
        "busybox:1, ann, secret",
        "team/app, ann, secret",
        "registry.example:5000/app, bob, a:b",
        "other.example/app@sha256:0000000000000000000000000000000000000000000000000000000000000000, eve, ''",
        "registry.example/app, '', ''",
        "localhost/app, '', ''"
    })
    void anImageIsPulledWithTheSecretOfItsRegistry(String image, String user, String password) {
        List<Credentials> expected = user.isEmpty() ? List.of() : List.of(new Credentials(user, password));
        PullSecrets found = PullSecrets.find(pod("missing", "", "broken", "old", "new"), image, CONFIGS);
        assertThat(found.credentials()).isEqualTo(expected);
        assertThat(found.missing()).containsExactly("missing");
    }

    @ParameterizedTest
    @CsvSource({
        "hub.example/team-a/app:1, a all star",
        "hub.example/team-b/app, all star",
        "hub.example/app, all star",
        "hub.example:5000/team-a/app, ''",
        "deep.hub.example/app, ''",
        "cloud.example/app, star",
        "more.cloud.example/app, ''",
        "east-1.zone.example:80/app, zone",
        "east-1.zone.example/app, ''"
    })
    void thePathAndTheStarsOfAKeyCountAndTheLongestIsTriedFirst(String image, String users) {
        assertThat(PullSecrets.find(pod("paths"), image, CONFIGS).credentials().stream()
                        .map(Credentials::username)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(users);
    }

    @Test
    void twoSecretsForOneRegistryAreBothTried() {
        assertThat(PullSecrets.find(pod("new", "newer"), "registry.example:5000/app", CONFIGS)
                        .credentials())
                .extracting(Credentials::username)
                .containsExactly("bob", "rob");
    }
}
