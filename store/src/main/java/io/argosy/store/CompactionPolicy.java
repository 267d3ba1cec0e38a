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
    private final long mostRevisions;
    private final long mostBytes;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long noted;

    /** Keeps the history of that time; where a flood of writes makes more revisions or bytes than the most in it, the time does not count. */
    public CompactionPolicy(Duration keepFor, long mostRevisions, long mostBytes) {
        this.keepFor = keepFor;
        this.mostRevisions = mostRevisions;
        this.mostBytes = mostBytes;
    }

    /**
     * Notes the store's revision at this time; answers the revision to compact to, if there is now a newer one.
     *
     * @param written the bytes written so far
     */
    public OptionalLong observe(Instant now, long revision, long written) {
        if (revision > noted) {
            samples.addLast(new Sample(now, revision, written));
            noted = revision;
        }
        OptionalLong due = OptionalLong.empty();
        Instant horizon = now.minus(keepFor);
        while (!samples.isEmpty() && isDue(samples.getFirst(), horizon, revision, written)) {
            due = OptionalLong.of(samples.removeFirst().revision);
        }
        return due;
    }

    private boolean isDue(Sample sample, Instant horizon, long revision, long written) {
        return !sample.at.isAfter(horizon)
                || revision - sample.revision > mostRevisions
                || written - sample.written > mostBytes;
    }

    private record Sample(Instant at, long revision, long written) {}
}
