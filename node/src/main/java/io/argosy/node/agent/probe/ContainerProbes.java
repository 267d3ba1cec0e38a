package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.work.Work;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * The probes of one running container: a timer each, a virtual thread only while one looks, and a listener that is told when
 * the verdict changes. Liveness and readiness begin when the startup probe, if any, has succeeded.
 */
public final class ContainerProbes {
    private static final int MOST_TRIES = 3;

    private final Target target;
    private final Instant startedAt;
    private final Checks checks;
    private final Clock clock;
    private final Listener listener;
    private final Map<Kind, Track> tracks = new EnumMap<>(Kind.class);

    private boolean started;
    private boolean ready;
    private Kind failed;
    private boolean stopping;
    private boolean closed;

    /** The three questions, in the words of the Unhealthy event. */
    public enum Kind {
        Startup,
        Liveness,
        Readiness
    }

    /** What the probes say as a whole. */
    public record Verdict(boolean started, boolean ready, boolean failed, String killReason, long killGrace) {}

    /** Called from the probes' threads. */
    public interface Listener {
        void verdict(Verdict verdict);

        /** A probe has looked once. */
        void looked(Kind kind, CheckResult result);
    }

    private static final class Track {
        final Probe probe;
        Clock.Timer timer;
        int successes;
        int failures;

        Track(Probe probe) {
            this.probe = probe;
        }
    }

    /** A container taken over from an earlier life of the agent begins with the verdict it had then. */
    public ContainerProbes(
            Target target,
            Instant startedAt,
            boolean wasStarted,
            boolean wasReady,
            Checks checks,
            Clock clock,
            Listener listener) {
        this.target = target;
        this.startedAt = startedAt;
        this.checks = checks;
        this.clock = clock;
        this.listener = listener;
        add(Kind.Startup, target.container().getStartupProbe());
        add(Kind.Liveness, target.container().getLivenessProbe());
        add(Kind.Readiness, target.container().getReadinessProbe());
        started = wasStarted || !tracks.containsKey(Kind.Startup);
        ready = started && (wasReady || !tracks.containsKey(Kind.Readiness));
    }

    private void add(Kind kind, Probe probe) {
        if (probe != null) {
            tracks.put(kind, new Track(probe));
        }
    }

    public synchronized Verdict verdict() {
        boolean startup = failed == Kind.Startup;
        String reason = failed == null ? "" : "failed " + (startup ? "startup" : "liveness") + " probe";
        Long grace = failed == null ? null : tracks.get(failed).probe.getTerminationGracePeriodSeconds();
        return new Verdict(started, started && ready, failed != null, reason, grace == null ? -1 : grace);
    }

    public synchronized void start() {
        if (started) {
            beginRest();
        } else {
            begin(Kind.Startup);
        }
    }

    /** The container is being stopped: whether it serves still matters, whether it lives no more. */
    public synchronized void askReadinessOnly() {
        stopping = true;
        tracks.forEach((kind, track) -> {
            if (kind != Kind.Readiness && track.timer != null) {
                track.timer.cancel();
            }
        });
    }

    public synchronized void close() {
        closed = true;
        tracks.values().forEach(track -> {
            if (track.timer != null) {
                track.timer.cancel();
            }
        });
    }

    private void beginRest() {
        begin(Kind.Liveness);
        begin(Kind.Readiness);
    }

    private void begin(Kind kind) {
        Track track = tracks.get(kind);
        if (track != null && !closed) {
            Integer delay = track.probe.getInitialDelaySeconds();
            Instant first = startedAt.plusSeconds(delay == null ? 0 : delay);
            schedule(kind, track, Duration.between(clock.now(), first));
        }
    }

    private void schedule(Kind kind, Track track, Duration delay) {
        Runnable look = () -> Work.begin(clock, "probe-" + target.container().getName(), () -> look(kind, track));
        if (delay.isPositive()) {
            track.timer = clock.schedule(delay, look);
        } else {
            look.run();
        }
    }

    private void look(Kind kind, Track track) {
        Instant begun = clock.now();
        CheckResult result = checked(track.probe);
        Verdict before;
        Verdict after;
        synchronized (this) {
            if (closed || (stopping && kind != Kind.Readiness)) {
                return;
            }
            before = verdict();
            if (result.kind() != CheckResult.Kind.ERRORED) {
                count(kind, track, result.ok());
            }
            after = verdict();
            boolean over = failed != null || (kind == Kind.Startup && started);
            if (!over) {
                Duration period = Duration.ofSeconds(Checks.positive(track.probe.getPeriodSeconds(), 10));
                Duration next = Duration.between(clock.now(), begun.plus(period));
                schedule(kind, track, next.isPositive() ? next : Duration.ofMillis(1));
            }
        }
        listener.looked(kind, result);
        if (!before.equals(after)) {
            listener.verdict(after);
        }
    }

    /** A look that cannot be taken is tried again at once, and whatever it throws is no reason never to look again. */
    private CheckResult checked(Probe probe) {
        CheckResult result = CheckResult.OK;
        for (int tried = 0; tried < MOST_TRIES; tried++) {
            try {
                result = checks.probe(target, probe);
            } catch (RuntimeException e) {
                result = CheckResult.errored(e.getMessage() == null ? e.toString() : e.getMessage());
            }
            if (result.kind() != CheckResult.Kind.ERRORED) {
                return result;
            }
        }
        return result;
    }

    private void count(Kind kind, Track track, boolean ok) {
        track.successes = ok ? track.successes + 1 : 0;
        track.failures = ok ? 0 : track.failures + 1;
        boolean enough = ok
                ? track.successes >= Checks.positive(track.probe.getSuccessThreshold(), 1)
                : track.failures >= Checks.positive(track.probe.getFailureThreshold(), 3);
        if (!enough) {
            return;
        }
        if (kind == Kind.Readiness) {
            ready = ok;
        } else if (!ok) {
            failed = kind;
        } else if (kind == Kind.Startup) {
            started = true;
            ready = !tracks.containsKey(Kind.Readiness);
            beginRest();
        }
    }
}
