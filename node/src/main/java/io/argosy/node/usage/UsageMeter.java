package io.argosy.node.usage;

import io.argosy.api.time.Clock;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ContainerStats;
import io.argosy.node.runtime.ContainerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures what the machine and its containers use, when somebody asks. Processor time is counted since the last question that lies
 * far enough back, or since the container's start where there was none: so there is always an answer, and nothing is done for nobody.
 */
public final class UsageMeter {
    /** Over less than this an average says little. */
    private static final Duration SHORTEST = Duration.ofSeconds(10);
    /** What lies further back than this says nothing of the present. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final String MACHINE = "";

    private final ContainerRuntime runtime;
    private final MachineCounters machine;
    private final Clock clock;
    private final Map<String, Track> tracks = new ConcurrentHashMap<>();

    /** Two readings of one counter: one to measure from, and the newest, which takes its place in time. */
    private record Track(Reading base, Reading latest) {}

    private record Reading(Instant at, long cpuNanos) {}

    public UsageMeter(ContainerRuntime runtime, MachineCounters machine, Clock clock) {
        this.runtime = runtime;
        this.machine = machine;
        this.clock = clock;
    }

    /** What the whole machine uses; empty where that cannot be read. */
    public Optional<Sample> node() {
        return machine.read()
                .map(read ->
                        sample(MACHINE, new Reading(clock.now(), read.cpuNanos()), read.since(), read.memoryBytes()));
    }

    /** What the running containers of a pod use, by their names. */
    public Map<String, Sample> pod(String uid) {
        Map<String, Sample> samples = new HashMap<>();
        for (ContainerStatus container : runtime.containers()) {
            if (container.state() != ContainerStatus.State.RUNNING) {
                tracks.remove(container.id());
            } else if (container.pod().uid().equals(uid)) {
                runtime.containerUsage(container.id())
                        .ifPresent(usage -> samples.put(container.name(), sample(container, usage)));
            }
        }
        return samples;
    }

    private Sample sample(ContainerStatus container, ContainerStats.Usage usage) {
        return sample(
                container.id(),
                new Reading(clock.now(), usage.cpuNanos()),
                container.startedAt().orElse(container.createdAt()),
                usage.workingSetBytes());
    }

    private Sample sample(String what, Reading now, Instant since, long memoryBytes) {
        Track track = tracks.compute(what, (key, known) -> advance(known, now, since));
        Duration window = Duration.between(track.base.at, now.at);
        long nanos = Math.max(1, window.toNanos());
        long cores = (long) ((double) Math.max(0, now.cpuNanos - track.base.cpuNanos) / nanos * 1e9);
        return new Sample(now.at, window, cores, memoryBytes);
    }

    private static Track advance(Track known, Reading now, Instant since) {
        if (known == null || known.latest.at.isBefore(now.at.minus(LONGEST)) || known.latest.cpuNanos > now.cpuNanos) {
            return new Track(new Reading(since, 0), now);
        }
        boolean farEnough = !known.latest.at.isAfter(now.at.minus(SHORTEST));
        return farEnough ? new Track(known.latest, now) : known;
    }
}
