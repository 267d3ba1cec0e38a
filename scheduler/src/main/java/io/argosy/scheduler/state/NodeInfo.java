package io.argosy.scheduler.state;

import io.fabric8.kubernetes.api.model.ContainerImage;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.Collection;
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
    private final int slot;
    private final Map<String, PodInfo> pods = new LinkedHashMap<>();
    private final Map<String, Long> otherRequests = new HashMap<>();
    private final List<PodInfo.HostPort> usedPorts = new ArrayList<>();
    private final Map<String, PodInfo> nominated = new LinkedHashMap<>(0);
    private Map<String, Long> images = Map.of();
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

    NodeInfo(String name, int slot) {
        this.name = name;
        this.slot = slot;
    }

    public String name() {
        return name;
    }

    /** A small number that no other node has, by which counts are kept. */
    int slot() {
        return slot;
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

    /** The pods that count as being here, terminating ones too. */
    public Collection<PodInfo> pods() {
        return pods.values();
    }

    /** Pods without a node for which this one is being cleared. */
    public Collection<PodInfo> nominated() {
        return nominated.values();
    }

    /** The images that lie here, by every name they have, and how large they are. */
    public Map<String, Long> images() {
        return images;
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
        return !PodInfo.HostPort.anyCollide(wanted, usedPorts);
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
        images = images(newest);
        allocatable = Resource.of(amounts);
        Quantity allowed = amounts == null ? null : amounts.get("pods");
        allowedPods =
                allowed == null ? (amounts == null || amounts.isEmpty() ? 0 : DEFAULT_PODS) : Resource.whole(allowed);
    }

    void nominate(PodInfo pod) {
        nominated.put(pod.uid(), pod);
    }

    void denominate(String uid) {
        nominated.remove(uid);
    }

    /** Also for trying out how things would be; counts over all nodes do not notice. */
    public void add(PodInfo pod) {
        PodInfo before = pods.put(pod.uid(), pod);
        if (before != null) {
            count(before, -1);
        }
        count(pod, 1);
    }

    /** The pod that was here, or null. */
    public PodInfo remove(String uid) {
        PodInfo pod = pods.remove(uid);
        if (pod != null) {
            count(pod, -1);
        }
        return pod;
    }

    boolean isEmpty() {
        return pods.isEmpty() && nominated.isEmpty();
    }

    private static Map<String, Long> images(Node node) {
        if (node.getStatus() == null
                || node.getStatus().getImages() == null
                || node.getStatus().getImages().isEmpty()) {
            return Map.of();
        }
        Map<String, Long> found = new HashMap<>();
        for (ContainerImage image : node.getStatus().getImages()) {
            long size = image.getSizeBytes() == null ? 0 : image.getSizeBytes();
            image.getNames().forEach(name -> found.put(name, size));
        }
        return found;
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
