package io.argosy.node.agent.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.agent.model.ClusterTrustBundle;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvFromSourceBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.EnvVarSourceBuilder;
import io.fabric8.kubernetes.api.model.FileKeySelectorBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a container finds in its environment. */
class EnvironmentTest {
    private static final ConfigSource CONFIGS = new ConfigSource() {
        @Override
        public Optional<ConfigMap> configMap(String namespace, String name) {
            return name.equals("settings")
                    ? Optional.of(new ConfigMapBuilder()
                            .addToData("color", "blue")
                            .addToData("bad=key", "x")
                            .build())
                    : Optional.empty();
        }

        @Override
        public Optional<Secret> secret(String namespace, String name) {
            return name.equals("keys")
                    ? Optional.of(new SecretBuilder()
                            .addToData("password", "czNjcmV0")
                            .build())
                    : Optional.empty();
        }

        @Override
        public Optional<List<ClusterTrustBundle>> trustBundles() {
            return Optional.empty();
        }
    };

    private static final Pod POD = new PodBuilder()
            .withNewMetadata()
            .withNamespace("shop")
            .withName("front")
            .withUid("u-1")
            .addToLabels("tier", "web")
            .addToLabels("app", "a\"b")
            .addToAnnotations("note", "two\nlines")
            .endMetadata()
            .withNewSpec()
            .withNodeName("n1")
            .withServiceAccountName("clerk")
            .addNewContainer()
            .withName("main")
            .withNewResources()
            .addToLimits("cpu", new Quantity("250m"))
            .addToLimits("memory", new Quantity("64Mi"))
            .addToRequests("memory", new Quantity("32Mi"))
            .endResources()
            .endContainer()
            .endSpec()
            .build();

    private static final DownwardValues DOWNWARD = new DownwardValues(
            POD,
            List.of("10.0.0.9", "fd00::9"),
            List.of("192.168.0.1"),
            Map.of("cpu", BigDecimal.valueOf(2), "memory", BigDecimal.valueOf(1L << 30)));

    private final Environment environment = new Environment(CONFIGS, DOWNWARD, Map.of());

    @ParameterizedTest
    @CsvSource({
        "plain, plain",
        "$(A), one",
        "x$(A)y$(B), xoneytwo",
        "$(NONE), $(NONE)",
        "$$(A), $(A)",
        "$$$(A), $one",
        "$A, $A",
        "$(A, $(A",
        "cost: 5$, cost: 5$"
    })
    void expands(String text, String expected) {
        assertThat(Expansion.expand(text, Map.of("A", "one", "B", "two")::get)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "metadata.name | front",
                "metadata.namespace | shop",
                "metadata.uid | u-1",
                "metadata.labels['tier'] | web",
                "metadata.labels | app=\"a\\\"b\"<nl>tier=\"web\"",
                "metadata.annotations | note=\"two\\nlines\"",
                "spec.nodeName | n1",
                "spec.serviceAccountName | clerk",
                "status.podIP | 10.0.0.9",
                "status.podIPs | 10.0.0.9,fd00::9",
                "status.hostIP | 192.168.0.1"
            })
    void knowsItsFields(String path, String expected) {
        assertThat(DOWNWARD.field(path)).isEqualTo(expected.replace("<nl>", "\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "limits.cpu, 1, 1",
        "limits.cpu, 1m, 250",
        "requests.cpu, 1m, 250",
        "limits.memory, 1Mi, 64",
        "requests.memory, 1, 33554432",
        "limits.ephemeral-storage, 1, 0"
    })
    void knowsItsResources(String resource, String divisor, String expected) {
        Container container = POD.getSpec().getContainers().getFirst();
        var selector = new io.fabric8.kubernetes.api.model.ResourceFieldSelectorBuilder()
                .withResource(resource)
                .withDivisor(new Quantity(divisor))
                .build();
        assertThat(DOWNWARD.resource(container, selector)).isEqualTo(expected);
    }

    @Test
    void aLimitThatIsNotSetIsThePodsOrTheNodes() {
        var selector = new io.fabric8.kubernetes.api.model.ResourceFieldSelectorBuilder()
                .withResource("limits.cpu")
                .build();
        assertThat(DOWNWARD.resource(new Container(), selector)).isEqualTo("2");
        Pod limited = new PodBuilder(POD)
                .editSpec()
                .withNewResources()
                .addToLimits("cpu", new Quantity("1"))
                .endResources()
                .endSpec()
                .build();
        assertThat(new DownwardValues(limited, List.of(), List.of(), DOWNWARD.allocatable())
                        .resource(new Container(), selector))
                .isEqualTo("1");
    }

    private static EnvVar literal(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    private static EnvVar from(String name, EnvVarSource source) {
        return new EnvVarBuilder().withName(name).withValueFrom(source).build();
    }

    @Test
    void laterWordsWinAndSeeEarlierOnes() {
        Container container = new ContainerBuilder()
                .withEnvFrom(
                        new EnvFromSourceBuilder()
                                .withPrefix("S_")
                                .withNewConfigMapRef("settings", false)
                                .build(),
                        new EnvFromSourceBuilder()
                                .withNewSecretRef("keys", false)
                                .build())
                .withEnv(
                        literal("FIRST", "1"),
                        literal("SECOND", "$(FIRST)-$(S_color)-$(DB_SERVICE_HOST)-$(THIRD)"),
                        literal("password", "overridden"),
                        from(
                                "KEY",
                                new EnvVarSourceBuilder()
                                        .withNewSecretKeyRef("password", "keys", false)
                                        .build()),
                        from(
                                "GONE",
                                new EnvVarSourceBuilder()
                                        .withNewConfigMapKeyRef("none", "settings", true)
                                        .build()))
                .build();

        Environment.Result result = environment.of(container, Map.of("DB_SERVICE_HOST", "10.96.0.7", "FIRST", "svc"));

        assertThat(result.variables())
                .containsEntry("SECOND", "1-blue-10.96.0.7-$(THIRD)")
                .containsEntry("password", "overridden")
                .containsEntry("KEY", "s3cret")
                .containsEntry("FIRST", "1")
                .containsEntry("DB_SERVICE_HOST", "10.96.0.7")
                .doesNotContainKey("GONE");
        assertThat(result.skipped()).containsEntry("configMap shop/settings", List.of("S_bad=key"));
    }

    @Test
    void whatIsMissingIsNamed() {
        Container noMap = new ContainerBuilder()
                .withEnv(from(
                        "A",
                        new EnvVarSourceBuilder()
                                .withNewConfigMapKeyRef("k", "absent", false)
                                .build()))
                .build();
        Container noKey = new ContainerBuilder()
                .withEnv(from(
                        "A",
                        new EnvVarSourceBuilder()
                                .withNewSecretKeyRef("absent", "keys", false)
                                .build()))
                .build();

        assertThatThrownBy(() -> environment.of(noMap, Map.of())).hasMessage("configmap \"absent\" not found");
        assertThatThrownBy(() -> environment.of(noKey, Map.of()))
                .hasMessage("couldn't find key absent in Secret shop/keys");
    }

    @Test
    void servicesAreFoundInTheEnvironment() {
        Service db = service("shop", "my-db", "10.96.0.7", 5432);
        Service headless = service("shop", "none", "None", 80);
        Service master = service("default", "kubernetes", "10.96.0.1", 443);
        Service other = service("default", "other", "10.96.0.2", 80);

        Map<String, String> variables = ServiceVariables.of("shop", true, List.of(db, headless, master, other));

        assertThat(variables)
                .containsEntry("MY_DB_SERVICE_HOST", "10.96.0.7")
                .containsEntry("MY_DB_SERVICE_PORT", "5432")
                .containsEntry("MY_DB_SERVICE_PORT_MAIN", "5432")
                .containsEntry("MY_DB_PORT", "tcp://10.96.0.7:5432")
                .containsEntry("MY_DB_PORT_5432_TCP_ADDR", "10.96.0.7")
                .containsEntry("KUBERNETES_SERVICE_HOST", "10.96.0.1")
                .doesNotContainKeys("NONE_SERVICE_HOST", "OTHER_SERVICE_HOST");
        assertThat(ServiceVariables.of("shop", false, List.of(db, master)))
                .containsKey("KUBERNETES_SERVICE_HOST")
                .doesNotContainKey("MY_DB_SERVICE_HOST");
    }

    private static Service service(String namespace, String name, String ip, int port) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withClusterIP(ip)
                .addNewPort()
                .withName("main")
                .withPort(port)
                .withProtocol("TCP")
                .endPort()
                .endSpec()
                .build();
    }

    /** What stands in the file, and what a variable that refers to the key in it gets: a value, nothing, or an error. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "KEY='value' | value",
                "# a comment;;  OTHER='x' # more;KEY='a=b' | a=b",
                "KEY='two;lines'; | \"two\nlines\"",
                "KEY='first';KEY='second' | first",
                "KEY= 'nothing' | missing",
                "OTHER='x' | missing",
                "KEY='' | missing",
                "KEY=bare | bad",
                "KEY ='x' | bad",
                "='x' | bad",
                "no variable | bad",
                "KEY='open | bad",
                "KEY='x' y | bad",
            })
    void aValueIsReadFromTheFileOfAVolume(String text, String expected, @TempDir Path volume) throws IOException {
        Files.writeString(volume.resolve("file"), text.replace(';', '\n'));
        if (expected.equals("bad")) {
            assertThatThrownBy(() -> inFile(volume, "file", true)).hasMessage("couldn't parse env file");
        } else if (expected.equals("missing")) {
            assertThat(inFile(volume, "file", true)).isEmpty();
            assertThatThrownBy(() -> inFile(volume, "file", false))
                    .hasMessage(
                            "environment variable key \"KEY\" not found in file \"" + volume.resolve("file") + "\"");
        } else {
            assertThat(inFile(volume, "file", false)).containsExactly(Map.entry("V", expected));
        }
    }

    @Test
    void aFileOutsideTheVolumeOrNoneAtAllIsNotRead(@TempDir Path home) throws IOException {
        Path volume = Files.createDirectory(home.resolve("volume"));
        Files.writeString(home.resolve("secret"), "KEY='secret'");
        Files.createSymbolicLink(volume.resolve("up"), Path.of("../secret"));
        Files.createSymbolicLink(volume.resolve("absolute"), home.resolve("secret"));
        Files.createDirectory(volume.resolve("folder"));
        for (String path : List.of("up", "absolute", "folder", "../secret", "none")) {
            assertThatThrownBy(() -> inFile(volume, path, true)).hasMessage("couldn't parse env file");
        }
    }

    private static Map<String, String> inFile(Path volume, String path, boolean optional) {
        Container container = new ContainerBuilder()
                .addNewEnv()
                .withName("V")
                .withNewValueFrom()
                .withFileKeyRef(new FileKeySelectorBuilder()
                        .withVolumeName("v")
                        .withPath(path)
                        .withKey("KEY")
                        .withOptional(optional)
                        .build())
                .endValueFrom()
                .endEnv()
                .build();
        return new Environment(CONFIGS, DOWNWARD, Map.of("v", volume))
                .of(container, Map.of())
                .variables();
    }
}
