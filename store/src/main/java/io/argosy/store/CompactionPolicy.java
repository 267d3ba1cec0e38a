package io.argosy.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Decides how far to compact so that watchers can resume for a while and a busy hour does not fill the disk. It knows no
 * clock: whoever owns one tells it now and then which revision the store has reached, and compacts to what it answers.
 * Not for several threads.
 */
public final class CompactionPolicy {
    private final Duration keepFor;
    private final long keepRevisions;
    private final long mostRevisions;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long noted;

    /** Keeps at least the history of that time, and at least that many revisions. */
    public CompactionPolicy(Duration keepFor, long keepRevisions) {
        this(keepFor, keepRevisions, Long.MAX_VALUE);
    }

    /** The same, but where a flood of writes makes more revisions than the most in that time, the time does not count. */
    public CompactionPolicy(Duration keepFor, long keepRevisions, long mostRevisions) {
        this.keepFor = keepFor;
        this.keepRevisions = keepRevisions;
        this.mostRevisions = mostRevisions;
    }

    /** Notes the store's revision at this time; answers the revision to compact to, if there is now a newer one. */
    public OptionalLong observe(Instant now, long revision) {
        if (revision > noted) {
            samples.addLast(new Sample(now, revision));
            noted = revision;
        }
        OptionalLong due = OptionalLong.empty();
        Instant horizon = now.minus(keepFor);
        while (!samples.isEmpty() && isDue(samples.getFirst(), horizon, revision)) {
            due = OptionalLong.of(samples.removeFirst().revision);
        }
        return due;
    }

    private boolean isDue(Sample sample, Instant horizon, long revision) {
        boolean old = !sample.at.isAfter(horizon) && sample.revision <= revision - keepRevisions;
        return old || revision - sample.revision > mostRevisions;
    }

    private record Sample(Instant at, long revision) {}
}
