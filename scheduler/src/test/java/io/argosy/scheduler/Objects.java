package io.argosy.scheduler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/** Nodes and pods as the tests of this module like them. */
final class Objects {
    private Objects() {}

    static NodeBuilder node(String name, String cpu, String memory) {
        Map<String, Quantity> amounts =
                Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory), "pods", new Quantity("110"));
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("kubernetes.io/hostname", name)
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withCapacity(amounts)
                .withAllocatable(amounts)
                .endStatus();
    }

    static Node tainted(String name, String key, String effect) {
        return node(name, "4", "8Gi")
                .editSpec()
                .addNewTaint()
                .withKey(key)
                .withEffect(effect)
                .endTaint()
                .endSpec()
                .build();
    }

    static PodBuilder pod(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withUid("uid-" + name)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("default-scheduler")
                .addNewContainer()
                .withName("c")
                .withImage("i")
                .endContainer()
                .endSpec();
    }

    static Pod pod(String name, String cpu, String memory) {
        return pod(name)
                .editSpec()
                .editFirstContainer()
                .withNewResources()
                .addToRequests("cpu", new Quantity(cpu))
                .addToRequests("memory", new Quantity(memory))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
