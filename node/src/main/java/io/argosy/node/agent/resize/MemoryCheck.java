package io.argosy.node.agent.resize;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Whether less memory is still enough: a limit below what is in use would have the kernel kill, and is not set. */
public final class MemoryCheck {
    private final List<String> problems = new ArrayList<>();

    /** A limit of the pod as a whole, before and after. */
    public MemoryCheck pod(OptionalLong before, OptionalLong after, OptionalLong used) {
        if (lowers(before, after)) {
            check("pod", after.getAsLong(), used);
        }
        return this;
    }

    public MemoryCheck container(String name, OptionalLong before, OptionalLong after, OptionalLong used) {
        if (lowers(before, after)) {
            check("container \"" + name + "\"", after.getAsLong(), used);
        }
        return this;
    }

    private static boolean lowers(OptionalLong before, OptionalLong after) {
        return after.isPresent() && (before.isEmpty() || after.getAsLong() < before.getAsLong());
    }

    private void check(String whose, long limit, OptionalLong used) {
        if (used.isEmpty()) {
            problems.add("missing " + whose + " memory usage");
        } else if (used.getAsLong() >= limit) {
            problems.add("attempting to set " + whose + " memory limit (" + limit + ") below current usage ("
                    + used.getAsLong() + ")");
        }
    }

    /** Why it may not be, in kubelet's words. */
    public Optional<String> problem() {
        if (problems.isEmpty()) {
            return Optional.empty();
        }
        String all = problems.size() == 1 ? problems.getFirst() : "[" + String.join(", ", problems) + "]";
        return Optional.of("cannot decrease memory limits: " + all);
    }
}
