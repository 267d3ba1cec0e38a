package io.argosy.node.agent.manifest;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.node.agent.log.LogWatch;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.work.Work;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pods that this node runs by itself, from a folder of manifests: whether or not the API server knows them, until their file
 * goes. The API server is shown a mirror of each, which is made again when somebody deletes it.
 */
public final class StaticPods implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StaticPods.class);
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Optional<Path> path;
    private final Optional<ManifestFolder> folder;
    private final String node;
    private final Client client;
    private final Clock clock;
    private final Host host;
    private final Object looking = new Object();

    private Map<NamespacedName, Pod> wanted = Map.of();
    private boolean read;
    private boolean following;
    private volatile boolean closed;
    private final Map<NamespacedName, String> running = new HashMap<>();
    private final Map<NamespacedName, Pod> mirrors = new HashMap<>();
    private final Set<NamespacedName> busy = new HashSet<>();
    private final Set<NamespacedName> missed = new HashSet<>();

    /** Who runs the pods. */
    public interface Host {
        /** Runs the pod until it is ended; says when nothing of it is left. False if no pods are run any more. */
        boolean run(Pod pod, Runnable ended);

        void end(String uid);

        /** The API server shows the pod with this uid by this mirror; none any more if it is null. */
        void mirrored(String uid, Pod mirror);
    }

    /** What there is to do about a mirror. */
    enum MirrorAction {
        KEEP,
        CREATE,
        DELETE
    }

    public StaticPods(Optional<Path> folder, String node, PodForm form, Client client, Clock clock, Host host) {
        path = folder;
        this.folder = folder.map(path -> new ManifestFolder(path, node, form, clock));
        this.node = node;
        this.client = client;
        this.clock = clock;
        this.host = host;
    }

    /** A pod and its mirror, either of which may be missing. */
    static MirrorAction actionFor(Optional<Pod> pod, Optional<Pod> mirror) {
        if (mirror.isEmpty()) {
            return pod.isPresent() ? MirrorAction.CREATE : MirrorAction.KEEP;
        }
        boolean good = pod.isPresent() && !PodFacts.deleting(mirror.get()) && StaticPod.shows(mirror.get(), pod.get());
        return good ? MirrorAction.KEEP : MirrorAction.DELETE;
    }

    /** Begins to look whenever the kernel tells of a change in the folder, if there is one by now; may be asked again. */
    public synchronized void follow(LogWatch watch) {
        if (!following && !closed && path.filter(Files::isDirectory).isPresent()) {
            following = true;
            Thread.ofVirtual().name("manifests").start(() -> lookAtChanges(watch));
        }
    }

    private void lookAtChanges(LogWatch watch) {
        try (LogWatch.Folder watched = watch.follow(path.orElseThrow())) {
            while (!closed) {
                long seen = watched.version();
                look();
                watched.awaitBeyond(seen);
            }
        } catch (IOException e) {
            LOG.warn("the folder of manifests cannot be watched: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks no more; what runs goes on. */
    @Override
    public void close() {
        closed = true;
    }

    /** Looks into the folder and acts on what has changed. */
    public void look() {
        synchronized (looking) {
            try {
                want(folder.isPresent() ? folder.get().read() : Map.of());
            } catch (IOException e) {
                LOG.error("the folder of manifests cannot be read: {}", e.toString());
            }
        }
    }

    private synchronized void want(Map<NamespacedName, Pod> found) {
        if (closed) {
            return;
        }
        Set<NamespacedName> names = new HashSet<>(wanted.keySet());
        names.addAll(found.keySet());
        names.addAll(mirrors.keySet());
        wanted = found;
        read = true;
        names.forEach(this::reconcile);
    }

    /** The uids of the pods that should run. */
    public synchronized Set<String> uids() {
        Set<String> uids = new HashSet<>();
        wanted.values().forEach(pod -> uids.add(PodFacts.uid(pod)));
        return uids;
    }

    /** The API server has this mirror, new or changed. */
    public synchronized void mirror(Pod mirror) {
        NamespacedName name = nameOf(mirror);
        mirrors.put(name, mirror);
        reconcile(name);
    }

    /** The API server no longer has this mirror. */
    public synchronized void mirrorGone(Pod mirror) {
        NamespacedName name = nameOf(mirror);
        Pod known = mirrors.get(name);
        if (known != null && PodFacts.uid(known).equals(PodFacts.uid(mirror))) {
            mirrors.remove(name);
        }
        reconcile(name);
    }

    private static NamespacedName nameOf(Pod pod) {
        return NamespacedName.of(PodFacts.namespace(pod), PodFacts.name(pod));
    }

    /** One pod of a name at a time: the next begins when nothing is left of the one before. */
    private synchronized void reconcile(NamespacedName name) {
        if (!read) {
            return;
        }
        Pod pod = wanted.get(name);
        String runs = running.get(name);
        if (runs != null && (pod == null || !PodFacts.uid(pod).equals(runs))) {
            host.end(runs);
        } else if (runs == null && pod != null && host.run(pod, () -> ended(name))) {
            running.put(name, PodFacts.uid(pod));
        }
        Optional<Pod> mirror = Optional.ofNullable(mirrors.get(name));
        MirrorAction action = actionFor(Optional.ofNullable(pod), mirror);
        if (pod != null && PodFacts.uid(pod).equals(running.get(name))) {
            host.mirrored(PodFacts.uid(pod), action == MirrorAction.KEEP ? mirror.orElse(null) : null);
        }
        if (action == MirrorAction.KEEP) {
            return;
        }
        if (!busy.add(name)) {
            missed.add(name);
        } else {
            Work.begin(clock, "mirror-" + name.name(), () -> act(name, action, pod, mirror));
        }
    }

    private synchronized void ended(NamespacedName name) {
        running.remove(name);
        reconcile(name);
    }

    private void act(NamespacedName name, MirrorAction action, Pod pod, Optional<Pod> mirror) {
        boolean done = false;
        try {
            if (action == MirrorAction.CREATE) {
                create(pod);
            } else {
                client.resources(Pod.class)
                        .delete(
                                name.namespace(),
                                name.name(),
                                new Resources.DeleteOptions(0L, null, PodFacts.uid(mirror.orElseThrow()), null));
            }
            done = true;
        } catch (ApiException e) {
            done = e.is(Reason.NotFound) && action == MirrorAction.DELETE;
            if (!done && !isThere(name)) {
                LOG.warn("mirror pod {}: {}", name, e.getMessage());
            }
        } catch (RuntimeException e) {
            LOG.warn("mirror pod {}: {}", name, e.toString());
        } finally {
            release(name);
        }
        if (!done) {
            clock.schedule(RETRY, () -> Work.begin(clock, "mirror-" + name.name(), () -> reconcile(name)));
        }
    }

    /** Made already, and not heard of yet; a pod of somebody else under this name is in the way. */
    private boolean isThere(NamespacedName name) {
        return client.resources(Pod.class)
                .find(name.namespace(), name.name())
                .filter(StaticPod::isMirror)
                .isPresent();
    }

    private synchronized void release(NamespacedName name) {
        busy.remove(name);
        if (missed.remove(name)) {
            reconcile(name);
        }
    }

    private void create(Pod pod) {
        Node own = client.resources(Node.class).get("", node);
        client.resources(Pod.class).create(StaticPod.mirror(pod, own));
    }
}
