package io.argosy.node.simulated;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a simulated pod behaves, stage by stage: its image is pulled, its containers start, become ready, and may exit. Without a word
 * about it a pod is pulled, started and ready at once, and runs for ever.
 *
 * @param pullDelay how long pulling the image takes
 * @param pullError why the image cannot be pulled
 * @param startDelay how long the containers take to start once the image is there
 * @param readyDelay how long they take to become ready once they run
 * @param exitAfter how long they run
 * @param exitCodes how the first run ends, the second ...; the last code is that of all further runs
 */
public record Behaviour(
        Duration pullDelay,
        Optional<String> pullError,
        Duration startDelay,
        Duration readyDelay,
        Optional<Duration> exitAfter,
        List<Integer> exitCodes) {
    public static final Behaviour PLAIN =
            new Behaviour(Duration.ZERO, Optional.empty(), Duration.ZERO, Duration.ZERO, Optional.empty(), List.of(0));

    static final String PREFIX = "simulated.argosy.io/";
    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d|$)");

    public Behaviour {
        exitCodes = exitCodes.isEmpty() ? List.of(0) : List.copyOf(exitCodes);
    }

    public Behaviour pulledIn(Duration delay) {
        return new Behaviour(delay, Optional.empty(), startDelay, readyDelay, exitAfter, exitCodes);
    }

    public Behaviour notPulled(String error) {
        return new Behaviour(pullDelay, Optional.of(error), startDelay, readyDelay, exitAfter, exitCodes);
    }

    public Behaviour startsAfter(Duration delay) {
        return new Behaviour(pullDelay, pullError, delay, readyDelay, exitAfter, exitCodes);
    }

    public Behaviour readyAfter(Duration delay) {
        return new Behaviour(pullDelay, pullError, startDelay, delay, exitAfter, exitCodes);
    }

    public Behaviour exitsAfter(Duration delay, List<Integer> codes) {
        return new Behaviour(pullDelay, pullError, startDelay, readyDelay, Optional.of(delay), codes);
    }

    /** This, where the pod's annotations do not say otherwise. */
    Behaviour as(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        if (annotations == null
                || annotations.keySet().stream().noneMatch(annotation -> annotation.startsWith(PREFIX))) {
            return this;
        }
        return new Behaviour(
                duration(annotations, "pull-delay").orElse(pullDelay),
                Optional.ofNullable(annotations.get(PREFIX + "pull-error"))
                        .filter(error -> !error.isBlank())
                        .or(() -> pullError),
                duration(annotations, "start-delay").orElse(startDelay),
                duration(annotations, "ready-delay").orElse(readyDelay),
                duration(annotations, "exit-after").or(() -> exitAfter),
                exitCodes(annotations.get(PREFIX + "exit-code")));
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
                        case "d" -> 86_400_000;
                        default -> 1_000;
                    };
            end = part.end();
        }
        return end == text.strip().length() ? Optional.of(Duration.ofMillis((long) millis)) : Optional.empty();
    }

    /** One code, or several with commas between them; nonsense counts as absent. */
    private List<Integer> exitCodes(String text) {
        if (text == null) {
            return exitCodes;
        }
        List<Integer> codes = new ArrayList<>();
        for (String code : text.split(",", -1)) {
            try {
                codes.add(Integer.parseInt(code.strip()));
            } catch (NumberFormatException e) {
                return exitCodes;
            }
        }
        return codes;
    }

    /** How the run after so many restarts ends. */
    int exitCode(int restarts) {
        return exitCodes.get(Math.min(restarts, exitCodes.size() - 1));
    }

    /** Whether the containers start again after exiting like this. */
    static boolean restarts(Pod pod, int exitCode) {
        String policy = pod.getSpec().getRestartPolicy();
        return policy == null || policy.equals("Always") || policy.equals("OnFailure") && exitCode != 0;
    }
}
