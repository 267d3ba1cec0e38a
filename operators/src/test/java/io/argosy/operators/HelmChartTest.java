package io.argosy.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The chart, rendered by Helm itself, is what the plain manifests are. */
class HelmChartTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path DEPLOY = Path.of("deploy").toAbsolutePath();

    @BeforeAll
    static void helmIsHere() {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "skipped: Helm is here as a library for Linux on amd64 alone");
    }

    private static Helm chart() {
        return new Helm(DEPLOY.resolve("helm"));
    }

    /** By kind and name. */
    private static Map<String, JsonNode> objects(String yaml) throws IOException {
        Map<String, JsonNode> objects = new TreeMap<>();
        for (String document : yaml.split("(?m)^---.*$", -1)) {
            if (document.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#"))) {
                GenericKubernetesResource object = Serialization.unmarshal(document, GenericKubernetesResource.class);
                String before = object.getKind() + " " + object.getMetadata().getName();
                assertThat(objects).doesNotContainKey(before);
                objects.put(before, JSON.readTree(Serialization.asJson(object)));
            }
        }
        return objects;
    }

    private static String manifests(Path folder) throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> sorted = files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
            for (Path file : sorted) {
                all.append("---\n").append(Files.readString(file));
            }
        }
        return all.toString();
    }

    @Test
    void byDefaultItIsOneProgram() throws IOException {
        String rendered =
                chart().template().withName("etcd").withNamespace("default").call();
        assertThat(objects(rendered)).isEqualTo(objects(manifests(DEPLOY))).hasSize(6);
    }

    @Test
    void orEachProgramAlone() throws IOException {
        String rendered = chart().template()
                .withName("etcd")
                .withNamespace("default")
                .set("separate", true)
                .call();
        assertThat(objects(rendered))
                .isEqualTo(objects(manifests(DEPLOY.resolve("separate"))))
                .hasSize(18);
    }

    @Test
    void itGoesIntoAnyNamespace() {
        String rendered =
                chart().template().withName("etcd").withNamespace("databases").call();
        assertThat(rendered).contains("namespace: databases").doesNotContain("namespace: default");
    }

    @Test
    void helmFindsNothingWrong() {
        LintResult result = chart().lint().strict().call();
        assertThat(result.isFailed()).as(result.toString()).isFalse();
    }
}
