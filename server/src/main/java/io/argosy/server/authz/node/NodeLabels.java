package io.argosy.server.authz.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Which labels a node may put on itself: pods are steered by labels, and no node may draw them to itself. */
final class NodeLabels {
    private static final String RESERVED = "node-restriction.kubernetes.io";
    private static final Set<String> OWN = Set.of(
            "kubernetes.io/hostname",
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch",
            "beta.kubernetes.io/instance-type",
            "node.kubernetes.io/instance-type",
            "failure-domain.beta.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.kubernetes.io/region",
            "failure-domain.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");
    private static final List<String> OWN_SPACES = List.of("kubelet.kubernetes.io", "node.kubernetes.io");

    private NodeLabels() {}

    /** The labels that differ and are not the node's to change, in order. */
    static List<String> forbidden(JsonNode after, JsonNode before) {
        Collection<String> changed = new TreeSet<>();
        after.fieldNames().forEachRemaining(changed::add);
        before.fieldNames().forEachRemaining(changed::add);
        List<String> forbidden = new ArrayList<>();
        for (String label : changed) {
            if (!after.path(label).equals(before.path(label)) && isForbidden(label)) {
                forbidden.add(label);
            }
        }
        return forbidden;
    }

    private static boolean isForbidden(String label) {
        int slash = label.indexOf('/');
        String space = slash < 0 ? "" : label.substring(0, slash);
        if (isIn(space, RESERVED)) {
            return true;
        }
        boolean ofKubernetes = isIn(space, "kubernetes.io") || isIn(space, "k8s.io");
        return ofKubernetes && !OWN.contains(label) && OWN_SPACES.stream().noneMatch(own -> isIn(space, own));
    }

    private static boolean isIn(String space, String domain) {
        return space.equals(domain) || space.endsWith("." + domain);
    }
}
