package io.argosy.node.agent.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.self.Reserved;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The node's settings, as others read them. */
class ConfigPageTest {
    private static JsonNode page(NodeSettings settings) {
        NodeConfig config = NodeConfig.of("n1", Path.of("/home"), "192.0.2.1", "10.96.0.10");
        return Json.decodeObject(ConfigPage.of(config.with(settings))).path("kubeletconfig");
    }

    @Test
    void whatWasSaidIsThereInTheSameWords() {
        JsonNode kubelet = page(NodeSettings.USUAL
                .withManifests(Path.of("/manifests"))
                .withEviction(Threshold.parse(
                        "memory.available<100Mi,nodefs.available<5%",
                        "memory.available<1Gi", "memory.available=1m30s", "nodefs.available=1Gi"))
                .withReserved(Reserved.parse("cpu=200m,memory=500Mi", "ephemeral-storage=1Gi"))
                .withUnsafeSysctls(List.of("kernel.msg*"))
                .withPodPids(77)
                .withPort(10250));
        assertThat(kubelet.path("kind").asText()).isEqualTo("KubeletConfiguration");
        assertThat(kubelet.path("staticPodPath").asText()).isEqualTo("/manifests");
        assertThat(kubelet.path("port").asInt()).isEqualTo(10250);
        assertThat(kubelet.path("clusterDNS").path(0).asText()).isEqualTo("10.96.0.10");
        assertThat((Object) kubelet.path("evictionHard"))
                .isEqualTo(tree("{'memory.available':'100Mi','nodefs.available':'5%'}"));
        assertThat((Object) kubelet.path("evictionSoft")).isEqualTo(tree("{'memory.available':'1Gi'}"));
        assertThat((Object) kubelet.path("evictionSoftGracePeriod")).isEqualTo(tree("{'memory.available':'1m30s'}"));
        assertThat((Object) kubelet.path("evictionMinimumReclaim")).isEqualTo(tree("{'nodefs.available':'1Gi'}"));
        assertThat((Object) kubelet.path("systemReserved")).isEqualTo(tree("{'cpu':'200m','memory':'500Mi'}"));
        assertThat((Object) kubelet.path("kubeReserved")).isEqualTo(tree("{'ephemeral-storage':'1Gi'}"));
        assertThat(kubelet.path("allowedUnsafeSysctls").path(0).asText()).isEqualTo("kernel.msg*");
        assertThat(kubelet.path("podPidsLimit").asInt()).isEqualTo(77);
    }

    @Test
    void whatNobodySaidIsAsUsualOrMissing() {
        JsonNode kubelet = page(NodeSettings.USUAL);
        assertThat(kubelet.at("/evictionHard/memory.available").asText()).isEqualTo("100Mi");
        assertThat(kubelet.path("maxPods").asInt()).isEqualTo(NodeConfig.DEFAULT_MAX_PODS);
        assertThat(kubelet.path("nodeStatusUpdateFrequency").asText()).isEqualTo("10s");
        assertThat(kubelet.path("evictionPressureTransitionPeriod").asText()).isEqualTo("5m0s");
        assertThat(kubelet.path("containerLogMaxSize").asText()).isEqualTo("10Mi");
        assertThat(kubelet.path("evictionSoft").isMissingNode()).isTrue();
        assertThat(kubelet.path("staticPodPath").isMissingNode()).isTrue();
    }

    private static JsonNode tree(String text) {
        return Json.decodeObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
