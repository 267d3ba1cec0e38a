package io.argosy.node.simulated;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a simulated pod is to behave, as its annotations say: how long it takes to start and to become ready, and whether and how its
 * containers exit. Without annotations a pod starts at once, is ready at once and runs for ever.
 */
record PodScript(Duration startDelay, Duration readyDelay, Optional<Duration> exitAfter, int exitCode) {
    private static final String PREFIX = "simulated.argosy.io/";
    private static final PodScript PLAIN = new PodScript(Duration.ZERO, Duration.ZERO, Optional.empty(), 0);
    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|$)");

    static PodScript of(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        if (annotations == null
                || annotations.keySet().stream().noneMatch(annotation -> annotation.startsWith(PREFIX))) {
            return PLAIN;
        }
        return new PodScript(
                duration(annotations, "start-delay").orElse(Duration.ZERO),
                duration(annotations, "ready-delay").orElse(Duration.ZERO),
                duration(annotations, "exit-after"),
                exitCode(annotations.get(PREFIX + "exit-code")));
    }

    /** Durations as Kubernetes people write them: 500ms, 5s, 1m30s; a bare number is seconds. Nonsense counts as absent. */
    private static Optional<Duration> duration(Map<String, String> annotations, String name) {
        String text = annotations.get(PREFIX + name);
        if (text == null || text.isBlank()) {
            return Optional.empty();
        }
        Matcher part = PART.matcher(text.strip());
        double millis = 0;
        int end = 0;
        while (end < text.strip().length() && part.find() && part.start() == end) {
            millis += Double.parseDouble(part.group(1))
                    * switch (part.group(2)) {
                        case "ms" -> 1;
                        case "m" -> 60_000;
                        case "h" -> 3_600_000;
                        default -> 1_000;
                    };
            end = part.end();
        }
        return end == text.strip().length() ? Optional.of(Duration.ofMillis((long) millis)) : Optional.empty();
    }

    private static int exitCode(String text) {
        try {
            return text == null ? 0 : Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Whether the containers start again after this exit. */
    boolean restarts(Pod pod) {
        String policy = pod.getSpec().getRestartPolicy();
        return policy == null || policy.equals("Always") || policy.equals("OnFailure") && exitCode != 0;
    }
}
