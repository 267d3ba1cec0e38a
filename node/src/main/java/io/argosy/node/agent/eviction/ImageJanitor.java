package io.argosy.node.agent.eviction;

import io.argosy.api.time.Clock;
import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageException;
import io.argosy.node.image.ImageStore;
import io.argosy.node.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps in mind which of the images from registries are in use, and removes those that are not when their disk fills. One thread at a time. */
final class ImageJanitor {
    static final Duration PERIOD = Duration.ofMinutes(5);
    private static final Logger LOG = LoggerFactory.getLogger(ImageJanitor.class);

    private final ImageStore images;
    private final ContainerRuntime runtime;
    private final Supplier<? extends Collection<PodView>> pods;
    private final Space space;
    private final Clock clock;
    private final EventRecorder events;
    private final ObjectReference node;
    private final Map<String, ImageCollection.Held> known = new HashMap<>();
    private boolean failedBefore;

    /** How much there is where the images lie. */
    interface Space {
        DiskSpace now() throws IOException;
    }

    ImageJanitor(
            ImageStore images,
            ContainerRuntime runtime,
            Supplier<? extends Collection<PodView>> pods,
            Space space,
            Clock clock,
            EventRecorder events,
            ObjectReference node) {
        this.images = images;
        this.runtime = runtime;
        this.pods = pods;
        this.space = space;
        this.clock = clock;
        this.events = events;
        this.node = node;
    }

    /** Frees what the thresholds ask for; a failure that repeats is told as an event. */
    void collect() {
        try {
            look();
            long toFree = ImageCollection.toFree(space.now());
            long freed = toFree == 0 ? 0 : free(toFree);
            if (freed < toFree) {
                String message = "Failed to garbage collect required amount of images. Attempted to free " + toFree
                        + " bytes, but only found " + freed + " bytes eligible to free.";
                events.event(node, EventRecorder.Type.Warning, "FreeDiskSpaceFailed", message);
                throw new IOException(message);
            }
            failedBefore = false;
        } catch (IOException | ImageException e) {
            LOG.warn("images could not be collected: {}", e.getMessage());
            if (failedBefore) {
                events.event(node, EventRecorder.Type.Warning, "ImageGCFailed", e.getMessage());
            }
            failedBefore = true;
        }
    }

    /** Frees all that nobody needs; true if that was anything. */
    boolean collectAll() {
        look();
        return free(Long.MAX_VALUE) > 0;
    }

    private long free(long toFree) {
        ImageCollection.Plan plan = ImageCollection.plan(List.copyOf(known.values()), toFree, clock.now());
        long freed = 0;
        for (ImageCollection.Held image : plan.removed()) {
            try {
                if (images.remove(image.id())) {
                    LOG.info("image {} is removed to free {} bytes", image.id(), image.size());
                    freed += image.size();
                }
                known.remove(image.id());
            } catch (ImageException e) {
                LOG.warn("image {} cannot be removed: {}", image.id(), e.getMessage());
            }
        }
        return freed;
    }

    /** Notices images that are new, in use, or gone. */
    void look() {
        Instant now = clock.now();
        Set<String> inUse = inUse();
        Map<String, ImageCollection.Held> here = new HashMap<>();
        for (Image image : images.list()) {
            if (image.repoDigests().isEmpty()) {
                continue; // made here: no registry could bring it back
            }
            ImageCollection.Held before = known.get(image.id());
            boolean used = inUse.contains(image.id());
            here.put(
                    image.id(),
                    new ImageCollection.Held(
                            image.id(),
                            image.size(),
                            before == null ? now : before.seen(),
                            used || before == null ? now : before.used(),
                            used));
        }
        known.clear();
        known.putAll(here);
    }

    /** Images of containers, ended ones too, and of what pods need that have not ended. */
    private Set<String> inUse() {
        Set<String> ids = new HashSet<>();
        runtime.containers().forEach(container -> ids.add(container.imageId()));
        List<String> names = new ArrayList<>();
        for (PodView view : pods.get()) {
            if (PodFacts.terminal(view.pod())) {
                continue;
            }
            PodFacts.all(view.pod()).forEach(c -> names.add(c.getImage()));
            for (Volume volume : view.pod().getSpec().getVolumes()) {
                if (volume.getImage() != null) {
                    names.add(volume.getImage().getReference());
                }
            }
        }
        names.forEach(name -> find(name).ifPresent(image -> ids.add(image.id())));
        return ids;
    }

    private Optional<Image> find(String name) {
        try {
            return images.find(name);
        } catch (ImageException e) {
            LOG.debug("no image {}: {}", name, e.getMessage());
            return Optional.empty();
        }
    }
}
