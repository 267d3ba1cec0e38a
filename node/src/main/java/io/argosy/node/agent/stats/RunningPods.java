package io.argosy.node.agent.stats;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodStatuses;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.runtime.ContainerStatus;
import java.util.Collection;

/** What runs on the node by what the runtime says, whatever the API server thinks of it: pods with no more than the names of their containers. */
final class RunningPods {
    private RunningPods() {}

    static byte[] of(Collection<PodView> views) {
        ObjectNode list = Json.object().put("kind", "PodList").put("apiVersion", "v1");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (PodView view : views) {
            if (view.sandboxReady() || view.anyRunning()) {
                items.add(pod(view));
            }
        }
        return Json.encode(list);
    }

    private static ObjectNode pod(PodView view) {
        ObjectNode pod = Json.object();
        pod.putObject("metadata")
                .put("name", PodFacts.name(view.pod()))
                .put("namespace", PodFacts.namespace(view.pod()))
                .put("uid", PodFacts.uid(view.pod()));
        ArrayNode containers = pod.putObject("spec").putArray("containers");
        view.containers().values().stream()
                .filter(PodView.Instances::running)
                .map(PodView.Instances::current)
                .forEach(running -> containers
                        .addObject()
                        .put("name", running.name())
                        .put("image", image(running))
                        .putObject("resources"));
        pod.putObject("status");
        return pod;
    }

    private static String image(ContainerStatus container) {
        return container.labels().getOrDefault(PodStatuses.IMAGE_LABEL, container.imageId());
    }
}
