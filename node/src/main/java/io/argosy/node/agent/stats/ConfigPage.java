package io.argosy.node.agent.stats;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.eviction.ImageCollection;
import io.argosy.node.agent.eviction.Pressure;
import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.log.LogRotation;
import io.argosy.node.agent.self.NodeRegistration;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/** The node's settings as a KubeletConfiguration, for those who look there: what has an effect here, and nothing else. */
final class ConfigPage {
    private static final long MEBI = 1 << 20;

    private ConfigPage() {}

    static byte[] of(NodeConfig config) {
        NodeSettings settings = config.settings();
        ObjectNode page = Json.object();
        ObjectNode kubelet = page.putObject("kubeletconfig");
        kubelet.put("kind", "KubeletConfiguration").put("apiVersion", "kubelet.config.k8s.io/v1beta1");
        kubelet.put("enableServer", settings.port().isPresent());
        settings.manifests().ifPresent(folder -> kubelet.put("staticPodPath", folder.toString()));
        settings.port().ifPresent(port -> kubelet.put("port", port));
        kubelet.putObject("authentication").putObject("anonymous").put("enabled", false);
        kubelet.putObject("authorization").put("mode", "Webhook");
        kubelet.put("registerNode", config.register());
        kubelet.put("clusterDomain", config.clusterDomain());
        kubelet.putArray("clusterDNS").add(config.clusterDns());
        kubelet.put("nodeStatusUpdateFrequency", words(NodeRegistration.HEARTBEAT));
        kubelet.put("nodeLeaseDurationSeconds", NodeRegistration.LEASE_SECONDS);
        kubelet.put("imageMinimumGCAge", words(ImageCollection.YOUNGEST));
        kubelet.put("imageGCHighThresholdPercent", ImageCollection.HIGH);
        kubelet.put("imageGCLowThresholdPercent", ImageCollection.LOW);
        kubelet.put("cgroupsPerQOS", true).put("cgroupDriver", "cgroupfs");
        kubelet.put("maxPods", config.maxPods()).put("podPidsLimit", settings.podPids());
        kubelet.put("serializeImagePulls", false).put("failSwapOn", false);
        kubelet.put("containerLogMaxSize", LogRotation.MAX_BYTES / MEBI + "Mi");
        kubelet.put("containerLogMaxFiles", LogRotation.MAX_FILES);
        kubelet.put("podLogsDir", config.logs().shared().resolve("pods").toString());
        thresholds(
                kubelet,
                "evictionHard",
                settings,
                t -> t.grace().isZero(),
                t -> t.limit().words());
        thresholds(
                kubelet,
                "evictionSoft",
                settings,
                t -> !t.grace().isZero(),
                t -> t.limit().words());
        thresholds(kubelet, "evictionSoftGracePeriod", settings, t -> !t.grace().isZero(), t -> words(t.grace()));
        thresholds(
                kubelet,
                "evictionMinimumReclaim",
                settings,
                t -> t.reclaim().value().signum() > 0,
                t -> t.reclaim().words());
        kubelet.put("evictionPressureTransitionPeriod", words(Pressure.TRANSITION));
        settings.unsafeSysctls().forEach(kubelet.withArrayProperty("allowedUnsafeSysctls")::add);
        settings.reserved().system().forEach(kubelet.withObjectProperty("systemReserved")::put);
        settings.reserved().kube().forEach(kubelet.withObjectProperty("kubeReserved")::put);
        kubelet.putArray("enforceNodeAllocatable").add("none");
        return Json.encode(page);
    }

    private static void thresholds(
            ObjectNode kubelet,
            String name,
            NodeSettings settings,
            Predicate<Threshold> which,
            Function<Threshold, String> value) {
        settings.eviction().stream()
                .filter(which)
                .forEach(threshold ->
                        kubelet.withObjectProperty(name).put(threshold.signal().word(), value.apply(threshold)));
    }

    /** As Go writes durations of whole seconds: 40s, 5m0s, 1h0m0s. */
    private static String words(Duration time) {
        String hours = time.toHours() > 0 ? time.toHours() + "h" : "";
        String minutes = time.toMinutes() > 0 ? time.toMinutesPart() + "m" : "";
        return hours + minutes + time.toSecondsPart() + "s";
    }
}
