package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.stats.NodePages;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the node tells of real containers under its paths. */
class NodePagesTest extends RealNodeFixture {
    private static final int WRITTEN = 2 << 20;

    NodePagesTest() {
        super("pages-test", 79);
    }

    private void create() throws IOException {
        createClaim();
        client.resources(Pod.class)
                .create(pod(
                                "u",
                                "sh",
                                "-c",
                                "cat /dev/zero | busybox head -c " + WRITTEN + " > /written; busybox head -c 1000"
                                        + " /dev/zero > /empty/file; exec httpd"
                                        + " -f -p 8080 -h /data")
                        .editSpec()
                        .addNewVolume()
                        .withName("empty")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .endVolume()
                        .addNewVolume()
                        .withName("kept")
                        .withNewPersistentVolumeClaim("c", false)
                        .endVolume()
                        .editContainer(0)
                        .withNewResources()
                        .addToLimits("memory", new Quantity("64Mi"))
                        .addToLimits("cpu", new Quantity("500m"))
                        .endResources()
                        .addNewVolumeMount()
                        .withName("kept")
                        .withMountPath("/kept")
                        .endVolumeMount()
                        .addNewVolumeMount()
                        .withName("empty")
                        .withMountPath("/empty")
                        .endVolumeMount()
                        .withNewReadinessProbe()
                        .withPeriodSeconds(1)
                        .withNewTcpSocket()
                        .withPort(new IntOrString(8080))
                        .endTcpSocket()
                        .endReadinessProbe()
                        .endContainer()
                        .endSpec()
                        .build());
        eventually("ready", () -> ready("u"));
    }

    private void createClaim() throws IOException {
        Path data = Files.createDirectories(root.resolve("claimed"));
        PersistentVolumeClaim claim = client.resources(PersistentVolumeClaim.class)
                .create(new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("c")
                        .endMetadata()
                        .withNewSpec()
                        .withVolumeName("pv")
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Bound")
                        .endStatus()
                        .build());
        client.resources(PersistentVolume.class)
                .create(new PersistentVolumeBuilder()
                        .withNewMetadata()
                        .withName("pv")
                        .endMetadata()
                        .withNewSpec()
                        .withNewLocal(null, data.toString())
                        .withNewClaimRef()
                        .withUid(claim.getMetadata().getUid())
                        .endClaimRef()
                        .endSpec()
                        .build());
    }

    private String text(String path, Map<String, String> parameters) {
        NodePages.Page page = agent.pages().page(path, parameters).orElseThrow();
        return new String(page.content(), StandardCharsets.UTF_8);
    }

    private String metrics(String path) {
        return text(path, Map.of());
    }

    @Test
    void theSummaryTellsOfTheNodeItsPodsAndTheirContainers() throws IOException {
        create();

        JsonNode summary = Json.decode(metrics("stats/summary").getBytes(StandardCharsets.UTF_8));

        JsonNode node = summary.path("node");
        assertThat(node.path("nodeName").asText()).isEqualTo(NODE);
        for (String path : new String[] {
            "/cpu/usageCoreNanoSeconds",
            "/memory/availableBytes",
            "/memory/workingSetBytes",
            "/fs/capacityBytes",
            "/fs/inodesFree",
            "/runtime/imageFs/availableBytes",
            "/rlimit/maxpid",
            "/rlimit/curproc"
        }) {
            assertThat(node.at(path).asLong()).as(path).isPositive();
        }
        assertThat(summary.path("pods")).hasSize(1);
        JsonNode pod = summary.path("pods").path(0);
        assertThat(pod.at("/podRef/name").asText()).isEqualTo("u");
        assertThat(pod.at("/network/name").asText()).isEqualTo("eth0");
        assertThat(pod.at("/memory/workingSetBytes").asLong()).isPositive();
        assertThat(pod.at("/volume/0/name").asText()).isEqualTo("empty");
        assertThat(pod.at("/volume/0/usedBytes").asLong()).isEqualTo(1000);
        assertThat(pod.at("/volume/1/name").asText()).isEqualTo("kept");
        assertThat(pod.at("/volume/1/pvcRef/name").asText()).isEqualTo("c");
        assertThat(pod.at("/volume/1/capacityBytes").asLong()).isPositive();
        assertThat(pod.at("/ephemeral-storage/usedBytes").asLong()).isGreaterThanOrEqualTo(WRITTEN + 1000);
        JsonNode container = pod.path("containers").path(0);
        assertThat(container.path("name").asText()).isEqualTo("web");
        assertThat(container.at("/cpu/usageCoreNanoSeconds").asLong()).isPositive();
        assertThat(container.at("/rootfs/usedBytes").asLong()).isBetween((long) WRITTEN, WRITTEN + 100_000L);
        JsonNode brief = Json.decode(
                text("stats/summary", Map.of("only_cpu_and_memory", "true")).getBytes(StandardCharsets.UTF_8));
        assertThat(brief.at("/pods/0/memory").isObject()).isTrue();
        assertThat(brief.at("/pods/0/network").isMissingNode()).isTrue();
    }

    @Test
    void theFamiliesThatPeopleScrapeAreThere() throws IOException {
        create();

        String labels = "container=\"web\",namespace=\"default\",pod=\"u\"";
        assertThat(metrics("metrics/resource"))
                .containsPattern("container_cpu_usage_seconds_total\\{" + labels + "\\} [0-9.E-]+")
                .containsPattern("container_memory_working_set_bytes\\{" + labels + "\\} [1-9]")
                .containsPattern("pod_memory_working_set_bytes\\{namespace=\"default\",pod=\"u\"\\} [1-9]")
                .containsPattern("node_cpu_usage_seconds_total [1-9]")
                .contains("resource_scrape_error 0");
        assertThat(metrics("metrics/cadvisor"))
                .containsPattern(
                        "container_memory_working_set_bytes\\{container=\"web\",id=\"/pod[^\"]+\",image=\"busybox:1\"")
                .containsPattern("container_cpu_usage_seconds_total\\{container=\"\".*pod=\"u\",cpu=\"total\"\\} ")
                .containsPattern("container_spec_memory_limit_bytes\\{.*pod=\"u\"\\} 6.7108864E7|"
                        + "container_spec_memory_limit_bytes\\{.*pod=\"u\"\\} 67108864")
                .containsPattern("container_network_receive_bytes_total\\{.*interface=\"eth0\"\\} ")
                .containsPattern("machine_memory_bytes [1-9]");
        assertThat(metrics("metrics"))
                .contains("kubelet_running_pods 1", "kubelet_running_containers{container_state=\"running\"} 1")
                .contains("kubelet_node_name{node=\"" + NODE + "\"} 1")
                .containsPattern(
                        "kubelet_volume_stats_capacity_bytes\\{namespace=\"default\",persistentvolumeclaim=\"c\"\\}"
                                + " [1-9]")
                .containsPattern(
                        "kubelet_volume_stats_available_bytes\\{namespace=\"default\",persistentvolumeclaim=\"c\"\\}"
                                + " [1-9]")
                .containsPattern(
                        "kubelet_volume_stats_inodes_used\\{namespace=\"default\",persistentvolumeclaim=\"c\"\\}"
                                + " [1-9]");
        String uid = find("u").orElseThrow().getMetadata().getUid();
        assertThat(metrics("metrics/probes"))
                .containsPattern("prober_probe_total\\{container=\"web\",namespace=\"default\",pod=\"u\",pod_uid=\""
                        + uid + "\",probe_type=\"Readiness\",result=\"successful\"\\} [1-9]");
        assertThat(metrics("configz")).startsWith("{\"kubeletconfig\":{\"kind\":\"KubeletConfiguration\"");
        JsonNode running = Json.decode(metrics("runningpods").getBytes(StandardCharsets.UTF_8));
        assertThat(running.path("items")).hasSize(1);
        assertThat(running.at("/items/0/metadata/uid").asText()).isEqualTo(uid);
        assertThat(running.at("/items/0/spec/containers/0/name").asText()).isEqualTo("web");
        assertThat(running.at("/items/0/spec/containers/0/image").asText()).isEqualTo("busybox:1");
        assertThat(agent.pages().page("stats/nothing", Map.of())).isEmpty();
    }
}
