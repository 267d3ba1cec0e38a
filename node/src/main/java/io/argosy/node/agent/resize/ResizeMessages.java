package io.argosy.node.agent.resize;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/** The text of the events of a resize: what it is about, and the resources it is about, as kubelet writes them. */
public final class ResizeMessages {
    private ResizeMessages() {}

    public static String of(String what, Pod pod, long generation, String error) {
        ObjectNode summary = Json.object();
        add(summary, "initContainers", pod.getSpec().getInitContainers());
        add(summary, "containers", pod.getSpec().getContainers());
        summary.put("generation", generation);
        if (!error.isEmpty()) {
            summary.put("error", error);
        }
        return what + ": " + summary;
    }

    private static void add(ObjectNode summary, String field, List<Container> containers) {
        if (containers.isEmpty()) {
            return;
        }
        ArrayNode list = summary.putArray(field);
        for (Container container : containers) {
            ObjectNode one = list.addObject().put("name", container.getName());
            one.set(
                    "resources",
                    container.getResources() == null ? Json.object() : Models.toTree(container.getResources()));
        }
    }
}
