package io.argosy.cli;

import io.argosy.cluster.Cluster;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@code argosy status} tells of a running cluster. */
final class Status {
    private Status() {}

    static List<String> of(Cluster cluster) {
        List<String> lines = new ArrayList<>();
        lines.add("API server   https://127.0.0.1:" + cluster.port());
        lines.add("home         " + cluster.home().root());
        lines.add("process      " + ProcessHandle.current().pid());
        List<Node> nodes = cluster.client().resources(Node.class).list("", Map.of());
        long ready = nodes.stream().filter(Status::isReady).count();
        lines.add("nodes        " + nodes.size() + ", " + ready + " ready");
        Map<String, Integer> phases = new TreeMap<>();
        for (Pod pod : cluster.client().resources(Pod.class).list("", Map.of())) {
            phases.merge(pod.getStatus().getPhase(), 1, Integer::sum);
        }
        List<String> counts = new ArrayList<>();
        phases.forEach((phase, count) -> counts.add(count + " " + phase));
        lines.add("pods         " + (counts.isEmpty() ? "none" : String.join(", ", counts)));
        return lines;
    }

    private static boolean isReady(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }
}
