package io.argosy.scheduler;

import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Nodes and pods as the tests of this module like them. */
public final class Objects {
    private Objects() {}

    /** An object as people write it. */
    static <T> T yaml(Class<T> type, String text) {
        try {
            return Models.decode(Json.encode(Yaml.decode(text.getBytes(StandardCharsets.UTF_8))), type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pod with labels and more of its spec, both in YAML. */
    static Pod podOf(String name, String labels, String spec, String... more) {
        return yaml(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default, uid: uid-%s, labels: {%s}}
                spec:
                  schedulerName: default-scheduler
                  containers: [{name: c, image: i}]
                %s
                """.formatted(
                        name,
                        name,
                        labels,
                        (spec + "\n" + String.join("\n", more)).strip().indent(2)));
    }

    /** A node with labels, in YAML, and room for everybody. */
    static Node labelled(String name, String labels) {
        return yaml(Node.class, """
                metadata: {name: %s, labels: {kubernetes.io/hostname: %s, %s}}
                status: {allocatable: {cpu: "64", memory: 256Gi, pods: "500"}}
                """.formatted(name, name, labels));
    }

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
