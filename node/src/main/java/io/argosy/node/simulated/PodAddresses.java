package io.argosy.node.simulated;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.BitSet;

/** Gives each pod of a fleet an address of its node's network that no other living pod has. */
final class PodAddresses {
    private static final int FIRST = 2;
    static final int COUNT = 253;

    private final Fleet fleet;
    private final BitSet[] used;
    private final int[] next;

    PodAddresses(Fleet fleet) {
        this.fleet = fleet;
        used = new BitSet[fleet.count()];
        next = new int[fleet.count()];
    }

    /** The address the pod already has, if it has one; the node's own for pods that share its network. */
    synchronized String take(int node, Pod pod) {
        if (Boolean.TRUE.equals(pod.getSpec().getHostNetwork())) {
            return fleet.address(node);
        }
        BitSet taken = used[node] == null ? used[node] = new BitSet() : used[node];
        String network = fleet.podNetwork(node) + ".";
        String present = pod.getStatus() == null ? null : pod.getStatus().getPodIP();
        if (present != null && present.startsWith(network)) {
            taken.set(Integer.parseInt(present.substring(network.length())) - FIRST);
            return present;
        }
        int slot = taken.nextClearBit(next[node]);
        if (slot >= COUNT) {
            slot = taken.nextClearBit(0);
        }
        if (slot >= COUNT) {
            throw new IllegalStateException("node " + fleet.name(node) + " has no address left for a pod");
        }
        taken.set(slot);
        next[node] = (slot + 1) % COUNT;
        return network + (slot + FIRST);
    }

    synchronized void release(int node, String address) {
        String network = fleet.podNetwork(node) + ".";
        if (used[node] != null && address.startsWith(network)) {
            used[node].clear(Integer.parseInt(address.substring(network.length())) - FIRST);
        }
    }
}
