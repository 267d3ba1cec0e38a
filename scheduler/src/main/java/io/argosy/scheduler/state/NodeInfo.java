package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A node and what its pods take of it, sums kept up to date with every pod that comes or goes. Belongs to the scheduling thread
 * alone.
 */
public final class NodeInfo {
    private static final long DEFAULT_PODS = 110;

    private final String name;
    private final Map<String, PodInfo> pods = new LinkedHashMap<>();
    private final Map<String, Long> otherRequests = new HashMap<>();
    private final List<PodInfo.HostPort> usedPorts = new ArrayList<>();
    private Node node;
    private Map<String, String> labels = Map.of();
    private List<Taint> hardTaints = List.of();
    private List<Taint> softTaints = List.of();
    private Resource allocatable = Resource.NONE;
    private long allowedPods;
    private long cpu;
    private long memory;
    private long ephemeralStorage;
    private long scoredCpu;
    private long scoredMemory;

    public NodeInfo(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** Null while only pods of this node are known, not the node itself. */
    public Node node() {
        return node;
    }

    public Map<String, String> labels() {
        return labels;
    }

    /** Taints that keep pods away: NoSchedule and NoExecute. */
    public List<Taint> hardTaints() {
        return hardTaints;
    }

    /** Taints that pods rather avoid: PreferNoSchedule. */
    public List<Taint> softTaints() {
        return softTaints;
    }

    public boolean unschedulable() {
        return node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    }

    public Resource allocatable() {
        return allocatable;
    }

    public long allowedPods() {
        return allowedPods;
    }

    public int podCount() {
        return pods.size();
    }

    public long cpu() {
        return cpu;
    }

    public long memory() {
        return memory;
    }

    public long ephemeralStorage() {
        return ephemeralStorage;
    }

    public long other(String resource) {
        return otherRequests.getOrDefault(resource, 0L);
    }

    public long scoredCpu() {
        return scoredCpu;
    }

    public long scoredMemory() {
        return scoredMemory;
    }

    public boolean portsFree(List<PodInfo.HostPort> wanted) {
        for (PodInfo.HostPort port : wanted) {
            for (PodInfo.HostPort used : usedPorts) {
                if (port.collidesWith(used)) {
                    return false;
                }
            }
        }
        return true;
    }

    void setNode(Node newest) {
        node = newest;
        if (newest == null) {
            return;
        }
        labels = newest.getMetadata().getLabels() == null
                ? Map.of()
                : newest.getMetadata().getLabels();
        List<Taint> taints = newest.getSpec() == null || newest.getSpec().getTaints() == null
                ? List.of()
                : newest.getSpec().getTaints();
        hardTaints = taints.stream()
                .filter(taint -> !taint.getEffect().equals("PreferNoSchedule"))
                .toList();
        softTaints = taints.stream()
                .filter(taint -> taint.getEffect().equals("PreferNoSchedule"))
                .toList();
        Map<String, Quantity> amounts =
                newest.getStatus() == null ? null : newest.getStatus().getAllocatable();
        allocatable = Resource.of(amounts);
        Quantity allowed = amounts == null ? null : amounts.get("pods");
        allowedPods =
                allowed == null ? (amounts == null || amounts.isEmpty() ? 0 : DEFAULT_PODS) : Resource.whole(allowed);
    }

    void add(PodInfo pod) {
        PodInfo before = pods.put(pod.uid(), pod);
        if (before != null) {
            count(before, -1);
        }
        count(pod, 1);
    }

    boolean remove(String uid) {
        PodInfo pod = pods.remove(uid);
        if (pod != null) {
            count(pod, -1);
        }
        return pod != null;
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }

    private void count(PodInfo pod, int sign) {
        Resource requests = pod.requests();
        cpu += sign * requests.cpu();
        memory += sign * requests.memory();
        ephemeralStorage += sign * requests.ephemeralStorage();
        scoredCpu += sign * pod.scoredCpu();
        scoredMemory += sign * pod.scoredMemory();
        requests.others().forEach((resource, amount) -> otherRequests.merge(resource, sign * amount, Long::sum));
        for (PodInfo.HostPort port : pod.hostPorts()) {
            if (sign > 0) {
                usedPorts.add(port);
            } else {
                usedPorts.remove(port);
            }
        }
    }
}
