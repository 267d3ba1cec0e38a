package io.argosy.cli;

import io.argosy.cluster.ClusterBuilder;
import io.argosy.cluster.home.HomeException;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.admission.SysctlRule;
import io.argosy.node.agent.eviction.Threshold;
import io.argosy.node.agent.self.Reserved;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** What this machine's node is told, in kubelet's words. */
final class NodeOptions {
    private static final String MANIFESTS = "pod-manifest-path";
    private static final String HARD = "eviction-hard";
    private static final String SOFT = "eviction-soft";
    private static final String GRACE = "eviction-soft-grace-period";
    private static final String RECLAIM = "eviction-minimum-reclaim";
    private static final String SYSTEM = "system-reserved";
    private static final String KUBE = "kube-reserved";
    private static final String SYSCTLS = "allowed-unsafe-sysctls";
    private static final String PIDS = "pod-max-pids";
    private static final String PORT = "kubelet-port";
    private static final String LOGS = "pod-logs";

    @Option(
            names = "--pod-manifest-path",
            paramLabel = "DIR",
            description = "Pods that the node runs by itself, a file each (default: the home's folder manifests).")
    private Path manifests;

    @Option(
            names = "--eviction-hard",
            paramLabel = "LIST",
            description = "How little may be left before pods go at once, such as"
                    + " memory.available<100Mi,nodefs.available<10%%.")
    private String hard;

    @Option(
            names = "--eviction-soft",
            paramLabel = "LIST",
            description = "How little may be left for a while before pods go.")
    private String soft;

    @Option(
            names = "--eviction-soft-grace-period",
            paramLabel = "LIST",
            description = "For how long each of those, such as memory.available=1m30s.")
    private String grace;

    @Option(
            names = "--eviction-minimum-reclaim",
            paramLabel = "LIST",
            description = "How much more must be free until a shortage is over, such as nodefs.available=1Gi.")
    private String reclaim;

    @Option(
            names = "--system-reserved",
            paramLabel = "LIST",
            description = "What of the machine is not for pods, such as cpu=200m,memory=500Mi,ephemeral-storage=1Gi.")
    private String system;

    @Option(
            names = "--kube-reserved",
            paramLabel = "LIST",
            description = "What more is not, because Argosy itself needs it.")
    private String kube;

    @Option(
            names = "--allowed-unsafe-sysctls",
            paramLabel = "LIST",
            description =
                    "What pods may set of the kernel beyond the safe set, such as kernel.msg*,net.core.somaxconn.")
    private String sysctls;

    @Option(
            names = "--pod-max-pids",
            paramLabel = "N",
            description = "How many processes and threads a pod may have, -1 for any number (default: 4096).")
    private Long podPids;

    @Option(
            names = "--kubelet-port",
            paramLabel = "PORT",
            description = "Where the node's own endpoint listens (default: 10250, or any free one if that is taken).")
    private Integer port;

    @Option(
            names = "--pod-logs",
            paramLabel = "DIR",
            description = "Where the folders pods and containers with the logs of containers lie "
                    + "(default: /var/log, and with a home of one's own choice the home's node/logs).")
    private Path podLogs;

    /** What was said, in a form that can be handed to another process; throws what is wrong with it. */
    Chosen chosen() {
        List<String> said = new ArrayList<>();
        if (manifests != null) {
            said.add(MANIFESTS + "=" + manifests.toAbsolutePath().normalize());
        }
        add(said, HARD, hard);
        add(said, SOFT, soft);
        add(said, GRACE, grace);
        add(said, RECLAIM, reclaim);
        add(said, SYSTEM, system);
        add(said, KUBE, kube);
        add(said, SYSCTLS, sysctls);
        add(said, PIDS, podPids);
        add(said, PORT, port);
        if (podLogs != null) {
            said.add(LOGS + "=" + podLogs.toAbsolutePath().normalize());
        }
        Chosen chosen = new Chosen(said);
        chosen.thresholds();
        chosen.reserved();
        chosen.sysctls();
        return chosen;
    }

    private static void add(List<String> said, String name, Object value) {
        if (value != null) {
            said.add(name + "=" + value);
        }
    }

    /** The choice, as arguments. */
    record Chosen(List<String> arguments) {
        static final Chosen USUAL = new Chosen(List.of());
        private static final Path USUAL_LOGS = Path.of("/var/log");
        private static final Set<String> NAMES =
                Set.of(MANIFESTS, HARD, SOFT, GRACE, RECLAIM, SYSTEM, KUBE, SYSCTLS, PIDS, PORT, LOGS);

        Chosen {
            arguments = List.copyOf(arguments);
        }

        static boolean isArgument(String name) {
            return NAMES.contains(name);
        }

        static Chosen of(Map<String, String> values) {
            return new Chosen(values.entrySet().stream()
                    .map(value -> value.getKey() + "=" + value.getValue())
                    .toList());
        }

        private Optional<String> said(String name) {
            return arguments.stream()
                    .filter(argument -> argument.startsWith(name + "="))
                    .map(argument -> argument.substring(name.length() + 1))
                    .findFirst();
        }

        private Optional<List<Threshold>> thresholds() {
            if (List.of(HARD, SOFT, GRACE, RECLAIM).stream()
                    .allMatch(name -> said(name).isEmpty())) {
                return Optional.empty();
            }
            try {
                return Optional.of(Threshold.parse(
                        said(HARD).orElse(Threshold.DEFAULT_HARD),
                        said(SOFT).orElse(""),
                        said(GRACE).orElse(""),
                        said(RECLAIM).orElse("")));
            } catch (IllegalArgumentException e) {
                throw new HomeException("The eviction thresholds cannot be read: " + e.getMessage() + ".", e);
            }
        }

        private Reserved reserved() {
            try {
                return Reserved.parse(said(SYSTEM).orElse(""), said(KUBE).orElse(""));
            } catch (IllegalArgumentException e) {
                throw new HomeException("What is reserved cannot be read: " + e.getMessage() + ".", e);
            }
        }

        private List<String> sysctls() {
            List<String> names =
                    said(SYSCTLS).map(list -> List.of(list.split(","))).orElse(List.of());
            try {
                SysctlRule.check(names);
            } catch (IllegalArgumentException e) {
                throw new HomeException("The unsafe sysctls cannot be allowed: " + e.getMessage() + ".", e);
            }
            return names;
        }

        /** Where collectors of logs look, if this is the home that is used when nobody chooses one: of those a user has one only. */
        Optional<Path> logs(Path home) {
            return said(LOGS)
                    .map(Path::of)
                    .or(() -> home.equals(HomeOption.USUAL) && Files.isWritable(USUAL_LOGS)
                            ? Optional.of(USUAL_LOGS)
                            : Optional.empty());
        }

        void applyTo(ClusterBuilder builder, Path home) {
            NodeSettings settings = NodeSettings.USUAL
                    .withEviction(thresholds().orElse(Threshold.DEFAULT))
                    .withReserved(reserved())
                    .withUnsafeSysctls(sysctls())
                    .withPodPids(said(PIDS).map(Long::parseLong).orElse(NodeSettings.DEFAULT_POD_PIDS));
            settings =
                    said(MANIFESTS).map(Path::of).map(settings::withManifests).orElse(settings);
            settings = logs(home).map(settings::withPodLogs).orElse(settings);
            builder.node(
                    said(PORT).map(Integer::parseInt).map(settings::withPort).orElse(settings));
        }
    }
}
