package io.argosy.node.agent.eviction;

import io.argosy.api.quantity.Amount;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.model.PodSums;
import io.argosy.node.agent.stats.PodUse;
import io.fabric8.kubernetes.api.model.Container;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** Which pod goes when something is short, and what it is told: those above their requests first, then by priority, then by use. */
final class Victims {
    private Victims() {}

    static List<PodUse> ranked(Signal signal, List<PodUse> pods) {
        Comparator<PodUse> byPriority = Comparator.comparingInt(use -> PodFacts.priority(use.pod()));
        if (signal == Signal.PID) {
            return sorted(pods, byPriority.thenComparing(most(use -> use.usage().pids())));
        }
        ToLongFunction<PodUse> above = use ->
                use(signal, use) - PodSums.request(use.pod(), signal.resource()).longValue();
        Comparator<PodUse> exceedingFirst =
                Comparator.comparing((PodUse use) -> above.applyAsLong(use) > 0).reversed();
        return sorted(pods, exceedingFirst.thenComparing(byPriority).thenComparing(most(above)));
    }

    private static List<PodUse> sorted(List<PodUse> pods, Comparator<PodUse> order) {
        return pods.stream().sorted(order).toList();
    }

    private static Comparator<PodUse> most(ToLongFunction<PodUse> use) {
        return Comparator.comparingLong(use).reversed();
    }

    private static long use(Signal signal, PodUse use) {
        return switch (signal) {
            case MEMORY -> use.usage().workingSetBytes();
            case NODE_FS, IMAGE_FS -> use.ephemeralStorage().bytes();
            case NODE_FS_INODES, IMAGE_FS_INODES -> use.ephemeralStorage().inodes();
            case PID -> use.usage().pids();
        };
    }

    static String message(Threshold threshold, Signal.Observation seen, PodUse use) {
        String resource = threshold.signal().resource();
        StringBuilder message = new StringBuilder("The node was low on resource: " + resource + ". Threshold quantity: "
                + amount(threshold.limit().of(seen.capacity()), threshold.signal()) + ", available: "
                + available(seen, threshold.signal()) + ". ");
        for (PodUse.ContainerUse each : use.containers()) {
            PodFacts.container(use.pod(), each.status().name())
                    .ifPresent(container -> message.append(larger(threshold.signal(), container, each)));
        }
        return message.toString();
    }

    private static String larger(Signal signal, Container container, PodUse.ContainerUse use) {
        long used = switch (signal) {
            case MEMORY -> use.usage().workingSetBytes();
            case NODE_FS, IMAGE_FS -> use.disk().bytes();
            default -> 0;
        };
        long request = PodFacts.amount(container.getResources(), true, signal.resource())
                .longValue();
        return used <= request
                ? ""
                : "Container " + container.getName() + " was using " + kibi(used) + ", request is "
                        + (request == 0 ? "0" : kibi(request)) + ", has larger consumption of " + signal.resource()
                        + ". ";
    }

    private static String available(Signal.Observation seen, Signal signal) {
        return amount(seen.available(), signal);
    }

    private static String amount(long value, Signal signal) {
        return signal.resource().equals("memory") || signal.resource().equals("ephemeral-storage")
                ? kibi(value)
                : Long.toString(value);
    }

    /** Whole kibibytes, rounded down, as the numbers of people are. */
    private static String kibi(long bytes) {
        return new Amount(BigDecimal.valueOf(bytes - bytes % 1024), true).toString();
    }
}
