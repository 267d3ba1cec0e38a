package io.argosy.node.agent.pod;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which users of the host stand for those of pods in user namespaces of their own: 65536 for each, none for two. What a pod
 * got is written down with its sandbox, by the runtime; here are only those whose sandbox is still to come.
 */
public final class UserRanges {
    static final long LENGTH = 65536;

    private final ContainerRuntime runtime;
    private final int most;
    private final Map<String, IdRange> given = new ConcurrentHashMap<>();

    /** As many ranges as the node may have pods. */
    public UserRanges(ContainerRuntime runtime, int maxPods) {
        this.runtime = runtime;
        most = maxPods;
    }

    /** The pod's range, the same as long as the pod is here; none for a pod with the host's users. */
    synchronized Optional<IdRange> of(Pod pod, String handler) {
        if (!Boolean.FALSE.equals(pod.getSpec().getHostUsers())) {
            return Optional.empty();
        }
        if (!runtime.info().features().userNamespaces()) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.INVALID,
                    "can't set `spec.hostUsers: false`, "
                            + (handler.isEmpty() ? "runtime" : "RuntimeClass handler \"" + handler + "\"")
                            + " does not support user namespaces");
        }
        String uid = PodFacts.uid(pod);
        Set<IdRange> taken = new HashSet<>(given.values());
        for (Sandbox sandbox : runtime.sandboxes()) {
            if (sandbox.pod().uid().equals(uid)) {
                sandbox.users().ifPresent(own -> given.putIfAbsent(uid, own));
            }
            sandbox.users().ifPresent(taken::add);
        }
        return Optional.of(given.computeIfAbsent(uid, _ -> free(taken, most)));
    }

    /** The lowest that overlaps none of these; the host's own users, below the first, are never given. */
    static IdRange free(Collection<IdRange> taken, int most) {
        for (int i = 1; i <= most; i++) {
            IdRange range = new IdRange(i * LENGTH, LENGTH);
            if (taken.stream().noneMatch(range::overlaps)) {
                return range;
            }
        }
        throw new RuntimeFailure(
                RuntimeFailure.Kind.FAILED,
                "create user namespace: could not find an empty slot to allocate a user namespace");
    }

    /** Nothing of the pod is on the node any more. */
    void release(String uid) {
        given.remove(uid);
    }
}
