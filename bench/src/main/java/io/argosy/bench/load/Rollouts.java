package io.argosy.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How far the Deployments of a namespace have come, as their status tells it. */
public final class Rollouts implements AutoCloseable {
    private final Map<String, JsonNode> deployments = new HashMap<>();
    private final Patience patience = new Patience();
    private final WatchStream watch;

    private Rollouts(Target target, String namespace) throws IOException, InterruptedException {
        watch = WatchStream.events(
                target,
                "/apis/apps/v1/namespaces/" + namespace + "/deployments?watch=true&resourceVersion=0",
                Target.JSON,
                this::event);
    }

    public static Rollouts of(Target target, String namespace) throws IOException, InterruptedException {
        return new Rollouts(target, namespace);
    }

    private void event(JsonNode event) {
        JsonNode deployment = event.path("object");
        String name = deployment.path("metadata").path("name").asText();
        boolean gone = event.path("type").asText().equals("DELETED");
        patience.change(() -> {
            if (gone) {
                deployments.remove(name);
            } else {
                deployments.put(name, deployment);
            }
        });
    }

    /** Waits until so many Deployments are rolled out, all of their pods new and Ready; the time at which that was. */
    public long awaitDone(int count, Duration limit) throws IOException, InterruptedException {
        return patience.until(
                () -> deployments.values().stream().filter(Rollouts::isDone).count() >= count,
                limit,
                () -> ready() + " pods are ready");
    }

    /** Waits until the Deployment is rolled out with this image; the time at which that was. */
    public long awaitDone(String name, String image, Duration limit) throws IOException, InterruptedException {
        return patience.until(
                () -> deployments.containsKey(name)
                        && isDone(deployments.get(name))
                        && image(deployments.get(name)).equals(image),
                limit,
                () -> name + " has " + deployments.get(name));
    }

    /** How many pods of all Deployments are Ready. */
    public int ready() {
        int[] ready = {0};
        patience.change(() -> deployments
                .values()
                .forEach(deployment -> ready[0] +=
                        deployment.path("status").path("readyReplicas").asInt()));
        return ready[0];
    }

    private static String image(JsonNode deployment) {
        return deployment.at("/spec/template/spec/containers/0/image").asText();
    }

    private static long generation(JsonNode deployment) {
        return deployment.path("metadata").path("generation").asLong();
    }

    private static boolean isDone(JsonNode deployment) {
        JsonNode status = deployment.path("status");
        int wanted = deployment.path("spec").path("replicas").asInt();
        return status.path("observedGeneration").asLong() == generation(deployment)
                && status.path("replicas").asInt() == wanted
                && status.path("updatedReplicas").asInt() == wanted
                && status.path("availableReplicas").asInt() == wanted;
    }

    @Override
    public void close() {
        watch.close();
    }
}
