package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageException;
import io.argosy.node.image.Progress;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Brings the image of a container onto the node, by its pull policy, with kubelet's events and failures. */
final class PodImages {
    private final NodeParts parts;

    PodImages(NodeParts parts) {
        this.parts = parts;
    }

    Image ensure(Pod pod, Container container, Cancellation cancellation) throws StartFailure {
        String name = container.getImage();
        String policy = policy(container);
        Optional<Image> present;
        try {
            present = parts.images().find(name);
        } catch (ImageException e) {
            throw failed(pod, container, e);
        }
        if (policy.equals("Never") && present.isEmpty()) {
            String message = "Container image \"" + name + "\" is not present with pull policy of Never";
            event(pod, container, EventRecorder.Type.Warning, "ErrImageNeverPull", message);
            throw new StartFailure("ErrImageNeverPull", message);
        }
        if (present.isPresent() && !policy.equals("Always")) {
            event(
                    pod,
                    container,
                    EventRecorder.Type.Normal,
                    "Pulled",
                    "Container image \"" + name + "\" already present on machine");
            return present.get();
        }
        event(pod, container, EventRecorder.Type.Normal, "Pulling", "Pulling image \"" + name + "\"");
        var begun = parts.clock().now();
        CompletableFuture<Image> pull = new CompletableFuture<>();
        Thread.ofVirtual().name("pull-" + name).start(() -> {
            try {
                pull.complete(parts.images().pull(name, PullSecrets.find(pod, name, parts.configs()), Progress.NONE));
            } catch (RuntimeException e) {
                pull.completeExceptionally(e);
            }
        });
        try {
            Image image = cancellation.await(pull);
            String took = words(Duration.between(begun, parts.clock().now()));
            event(
                    pod,
                    container,
                    EventRecorder.Type.Normal,
                    "Pulled",
                    "Successfully pulled image \"" + name + "\" in " + took + " (" + took
                            + " including waiting). Image size: " + image.size() + " bytes.");
            return image;
        } catch (ImageException e) {
            throw failed(pod, container, e);
        }
    }

    private StartFailure failed(Pod pod, Container container, ImageException e) {
        String name = container.getImage();
        if (e.kind() == ImageException.Kind.INVALID_NAME) {
            String message = "Failed to apply default image tag \"" + name + "\": couldn't parse image name \"" + name
                    + "\": invalid reference format";
            event(pod, container, EventRecorder.Type.Warning, "InspectFailed", message);
            return new StartFailure("InvalidImageName", message, e);
        }
        String message = "Failed to pull image \"" + name + "\": " + e.getMessage();
        event(pod, container, EventRecorder.Type.Warning, "Failed", message);
        return new StartFailure("ErrImagePull", e.getMessage(), e);
    }

    private void event(Pod pod, Container container, EventRecorder.Type type, String reason, String message) {
        parts.events().event(PodFacts.reference(pod, container.getName()), type, reason, message);
    }

    private static String policy(Container container) {
        if (container.getImagePullPolicy() != null
                && !container.getImagePullPolicy().isEmpty()) {
            return container.getImagePullPolicy();
        }
        String name = container.getImage().substring(container.getImage().lastIndexOf('/') + 1);
        boolean latest = !name.contains("@") && (!name.contains(":") || name.endsWith(":latest"));
        return latest ? "Always" : "IfNotPresent";
    }

    private static String words(Duration took) {
        long millis = took.toMillis();
        return millis < 1000 ? millis + "ms" : String.format(Locale.ROOT, "%.3fs", millis / 1000.0);
    }
}
