package io.argosy.controllers.daemonset;

import io.argosy.client.NodeSelectors;
import io.argosy.client.Tolerations;
import io.argosy.controllers.pod.PodTemplates;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The pod of a daemon set on one node: meant for that node alone, and staying where others would be driven away. */
final class DaemonPod {
    static final String HASH = "controller-revision-hash";
    private static final String NODE_NAME = "metadata.name";

    private DaemonPod() {}

    /** Whether the node should get a pod, and whether one that is there may stay. */
    record Place(boolean run, boolean stay) {}

    static Place place(DaemonSet set, Node node) {
        PodSpec spec = set.getSpec().getTemplate().getSpec();
        List<Toleration> tolerations = tolerations(spec);
        boolean wants = wants(spec, node);
        return new Place(
                wants && tolerates(tolerations, node, Set.of("NoSchedule", "NoExecute")),
                wants && tolerates(tolerations, node, Set.of("NoExecute")));
    }

    /** The template's node name, node selector and required node affinity allow this node. */
    private static boolean wants(PodSpec spec, Node node) {
        String name = node.getMetadata().getName();
        String given = spec.getNodeName();
        boolean named = given == null || given.isEmpty() || given.equals(name);
        return named && NodeSelectors.allow(spec, node);
    }

    /** Every taint with one of the effects is tolerated. */
    private static boolean tolerates(List<Toleration> tolerations, Node node, Set<String> effects) {
        return node.getSpec() == null
                || node.getSpec().getTaints().stream()
                        .filter(taint -> effects.contains(taint.getEffect()))
                        .allMatch(taint -> Tolerations.allow(tolerations, taint));
    }

    static Pod instantiate(DaemonSet set, String node, String hash) {
        Pod pod = new PodBuilder(PodTemplates.instantiate(set.getSpec().getTemplate(), set)).build();
        pod.getMetadata().getLabels().put(HASH, hash);
        pod.getMetadata().getLabels().put("pod-template-generation", Long.toString(templateGeneration(set)));
        pod.getSpec().setTolerations(tolerations(pod.getSpec()));
        NodeSelectorTerm onlyThere =
                new NodeSelectorTerm(List.of(), List.of(new NodeSelectorRequirement(NODE_NAME, "In", List.of(node))));
        AffinityBuilder affinity = pod.getSpec().getAffinity() == null
                ? new AffinityBuilder()
                : new AffinityBuilder(pod.getSpec().getAffinity());
        pod.getSpec()
                .setAffinity(affinity.editOrNewNodeAffinity()
                        .withRequiredDuringSchedulingIgnoredDuringExecution(new NodeSelector(List.of(onlyThere)))
                        .endNodeAffinity()
                        .build());
        return pod;
    }

    private static long templateGeneration(DaemonSet set) {
        String generation = set.getMetadata().getAnnotations() == null
                ? null
                : set.getMetadata().getAnnotations().get("deprecated.daemonset.template.generation");
        if (generation != null && generation.matches("[0-9]{1,18}")) {
            return Long.parseLong(generation);
        }
        return set.getMetadata().getGeneration() == null ? 1 : set.getMetadata().getGeneration();
    }

    /** The node a pod runs on or is meant for; the empty string when it says neither. */
    static String node(Pod pod) {
        String bound = Pods.nodeName(pod);
        if (!bound.isEmpty()
                || pod.getSpec().getAffinity() == null
                || pod.getSpec().getAffinity().getNodeAffinity() == null
                || pod.getSpec().getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution()
                        == null) {
            return bound;
        }
        for (NodeSelectorTerm term : pod.getSpec()
                .getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms()) {
            for (NodeSelectorRequirement field : term.getMatchFields()) {
                if (field.getKey().equals(NODE_NAME) && field.getValues().size() == 1) {
                    return field.getValues().getFirst();
                }
            }
        }
        return "";
    }

    private static List<Toleration> tolerations(PodSpec spec) {
        List<Toleration> tolerations = new ArrayList<>(spec.getTolerations());
        add(tolerations, "node.kubernetes.io/not-ready", "NoExecute");
        add(tolerations, "node.kubernetes.io/unreachable", "NoExecute");
        add(tolerations, "node.kubernetes.io/disk-pressure", "NoSchedule");
        add(tolerations, "node.kubernetes.io/memory-pressure", "NoSchedule");
        add(tolerations, "node.kubernetes.io/pid-pressure", "NoSchedule");
        add(tolerations, "node.kubernetes.io/unschedulable", "NoSchedule");
        if (Boolean.TRUE.equals(spec.getHostNetwork())) {
            add(tolerations, "node.kubernetes.io/network-unavailable", "NoSchedule");
        }
        return tolerations;
    }

    private static void add(List<Toleration> tolerations, String key, String effect) {
        Toleration toleration = new TolerationBuilder()
                .withKey(key)
                .withOperator("Exists")
                .withEffect(effect)
                .build();
        if (!tolerations.contains(toleration)) {
            tolerations.add(toleration);
        }
    }
}
