package io.argosy.node.agent.pod;

import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.work.Work;
import io.argosy.node.image.Credentials;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageException;
import io.argosy.node.image.Progress;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ImageVolumeSource;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Brings the images of containers and of volumes onto the node, by their pull policy, with kubelet's events and failures. */
final class PodImages {
    private final NodeParts parts;

    PodImages(NodeParts parts) {
        this.parts = parts;
    }

    /** An image that the pod needs, and whom the events about it are of. */
    private record Wanted(Pod pod, ObjectReference about, String name, String policy) {}

    Image ensure(Pod pod, Container container, Cancellation cancellation) throws StartFailure {
        String name = container.getImage();
        return ensure(
                new Wanted(
                        pod,
                        PodFacts.reference(pod, container.getName()),
                        name,
                        policy(container.getImagePullPolicy(), name)),
                cancellation);
    }

    Image ensure(Pod pod, ImageVolumeSource source, Cancellation cancellation) throws StartFailure {
        String name = source.getReference();
        return ensure(
                new Wanted(pod, PodFacts.reference(pod), name, policy(source.getPullPolicy(), name)), cancellation);
    }

    private Image ensure(Wanted wanted, Cancellation cancellation) throws StartFailure {
        String name = wanted.name;
        Optional<Image> present;
        try {
            present = parts.images().find(name);
        } catch (ImageException e) {
            throw failed(wanted, e);
        }
        boolean usable = present.isPresent()
                && !wanted.policy.equals("Always")
                && parts.imageAccess().open(present.get().id(), secrets(wanted).credentials());
        if (usable) {
            event(
                    wanted,
                    EventRecorder.Type.Normal,
                    "Pulled",
                    "Container image \"" + name + "\" already present on machine and can be accessed by the pod");
            return present.get();
        }
        if (wanted.policy.equals("Never")) {
            String message = "Container image \"" + name + "\" is not present with pull policy of Never";
            event(wanted, EventRecorder.Type.Warning, "ErrImageNeverPull", message);
            throw new StartFailure("ErrImageNeverPull", message);
        }
        return pull(wanted, cancellation);
    }

    private Image pull(Wanted wanted, Cancellation cancellation) throws StartFailure {
        String name = wanted.name;
        event(wanted, EventRecorder.Type.Normal, "Pulling", "Pulling image \"" + name + "\"");
        var begun = parts.clock().now();
        CompletableFuture<Image> pull = new CompletableFuture<>();
        Work.begin(parts.clock(), "pull-" + name, () -> {
            try {
                pull.complete(pull(wanted));
            } catch (RuntimeException e) {
                pull.completeExceptionally(e);
            }
        });
        try {
            Image image = cancellation.await(parts.clock(), pull);
            String took = words(Duration.between(begun, parts.clock().now()));
            event(
                    wanted,
                    EventRecorder.Type.Normal,
                    "Pulled",
                    "Successfully pulled image \"" + name + "\" in " + took + " (" + took
                            + " including waiting). Image size: " + image.size() + " bytes.");
            return image;
        } catch (ImageException e) {
            throw failed(wanted, e);
        }
    }

    private PullSecrets secrets(Wanted wanted) {
        return PullSecrets.find(wanted.pod, wanted.name, parts.configs());
    }

    /** Tries all credentials there are for the image, because the first may have been replaced by another. */
    private Image pull(Wanted wanted) {
        PullSecrets secrets = secrets(wanted);
        if (!secrets.missing().isEmpty()) {
            parts.events()
                    .event(
                            PodFacts.reference(wanted.pod),
                            EventRecorder.Type.Warning,
                            "FailedToRetrieveImagePullSecret",
                            "Unable to retrieve some image pull secrets (" + String.join(", ", secrets.missing())
                                    + "); attempting to pull the image may not succeed.");
        }
        List<Credentials> all = secrets.credentials().isEmpty() ? List.of(Credentials.NONE) : secrets.credentials();
        Set<String> problems = new LinkedHashSet<>();
        ImageException last = null;
        for (Credentials credentials : all) {
            try {
                Image image = parts.images().pull(wanted.name, credentials, Progress.NONE);
                parts.imageAccess().pulled(image.id(), credentials);
                return image;
            } catch (ImageException e) {
                problems.add(e.getMessage());
                last = e;
            }
        }
        throw problems.size() == 1
                ? last
                : new ImageException(last.kind(), "[" + String.join(", ", problems) + "]", last);
    }

    private StartFailure failed(Wanted wanted, ImageException e) {
        String name = wanted.name;
        if (e.kind() == ImageException.Kind.INVALID_NAME) {
            String message = "Failed to apply default image tag \"" + name + "\": couldn't parse image name \"" + name
                    + "\": invalid reference format";
            event(wanted, EventRecorder.Type.Warning, "InspectFailed", message);
            return new StartFailure("InvalidImageName", message, e);
        }
        String message = "Failed to pull image \"" + name + "\": " + e.getMessage();
        event(wanted, EventRecorder.Type.Warning, "Failed", message);
        return new StartFailure("ErrImagePull", e.getMessage(), e);
    }

    private void event(Wanted wanted, EventRecorder.Type type, String reason, String message) {
        parts.events().event(wanted.about, type, reason, message);
    }

    private static String policy(String given, String image) {
        if (given != null && !given.isEmpty()) {
            return given;
        }
        String name = image.substring(image.lastIndexOf('/') + 1);
        boolean latest = !name.contains("@") && (!name.contains(":") || name.endsWith(":latest"));
        return latest ? "Always" : "IfNotPresent";
    }

    /** As Go prints durations of whole milliseconds: 0s, 420ms, 1.2s, 1m15.5s, 1h0m2s. */
    static String words(Duration took) {
        long millis = took.toMillis();
        if (millis > 0 && millis < 1000) {
            return millis + "ms";
        }
        String seconds =
                BigDecimal.valueOf(millis % 60_000, 3).stripTrailingZeros().toPlainString() + "s";
        String minutes = took.toMinutes() == 0 ? "" : took.toMinutesPart() + "m";
        return (took.toHours() == 0 ? "" : took.toHours() + "h") + minutes + seconds;
    }
}
