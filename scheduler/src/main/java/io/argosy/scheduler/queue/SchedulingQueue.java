package io.argosy.scheduler.queue;

import io.argosy.scheduler.Diagnosis;
import io.argosy.scheduler.plugin.ClusterEvent;
import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Pods without a node. Those that may be tried stand in order of priority, then of arrival; those that fit nowhere wait for a change
 * that may help them, and then line up again, behind the others while their back-off lasts. Belongs to the scheduling thread alone.
 */
public final class SchedulingQueue {
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private static final Comparator<QueuedPod> BY_IMPORTANCE =
            Comparator.<QueuedPod>comparingInt(queued -> -queued.pod.priority()).thenComparingLong(q -> q.sequence);

    private final PriorityQueue<QueuedPod> active = new PriorityQueue<>(BY_IMPORTANCE);
    private final PriorityQueue<QueuedPod> backedOff = new PriorityQueue<>(
            Comparator.<QueuedPod, Instant>comparing(queued -> queued.due).thenComparing(BY_IMPORTANCE));
    private final Map<String, QueuedPod> byUid = new HashMap<>();
    private final Map<String, QueuedPod> unschedulable = new HashMap<>();
    private long sequence;

    /** A pod on its way through the queue. */
    public static final class QueuedPod {
        private final long sequence;
        private PodInfo pod;
        private int attempts;
        private Instant due = Instant.MIN;
        private Instant waitingSince = Instant.MIN;
        private Diagnosis diagnosis;

        private QueuedPod(PodInfo pod, long sequence) {
            this.pod = pod;
            this.sequence = sequence;
        }

        public PodInfo pod() {
            return pod;
        }

        public int attempts() {
            return attempts;
        }
    }

    /**
     * Takes in a pod that waits for a node, or its newer version, which may fit where the older did not. The version known so far,
     * or null if the pod is new.
     */
    public PodInfo offer(PodInfo pod, boolean changed, Instant now) {
        QueuedPod known = byUid.get(pod.uid());
        if (known == null) {
            QueuedPod queued = new QueuedPod(pod, sequence++);
            byUid.put(pod.uid(), queued);
            active.add(queued);
            return null;
        }
        // Priority never changes, so the pod keeps its place in whichever line it stands.
        PodInfo before = known.pod;
        known.pod = pod;
        if (changed && unschedulable.remove(pod.uid()) != null) {
            lineUp(known, now);
        }
        return before;
    }

    public void remove(String uid) {
        QueuedPod queued = byUid.remove(uid);
        if (queued != null && unschedulable.remove(uid) == null && !active.remove(queued)) {
            backedOff.remove(queued);
        }
    }

    /** The next pod to try, or null; it is out of the queue until it is given back. */
    public QueuedPod poll(Instant now) {
        while (!backedOff.isEmpty() && !backedOff.peek().due.isAfter(now)) {
            active.add(backedOff.poll());
        }
        QueuedPod next = active.isEmpty() ? backedOff.poll() : active.poll();
        if (next != null) {
            byUid.remove(next.pod.uid());
            next.attempts++;
        }
        return next;
    }

    public boolean hasWork() {
        return !active.isEmpty() || !backedOff.isEmpty();
    }

    /** Gives back a pod that fits nowhere; it waits for a change that may help. */
    public void waitForChange(QueuedPod queued, Diagnosis diagnosis, Instant now) {
        queued.diagnosis = diagnosis;
        queued.waitingSince = now;
        queued.due = now.plus(backOff(queued)).truncatedTo(ChronoUnit.SECONDS);
        byUid.put(queued.pod.uid(), queued);
        unschedulable.put(queued.pod.uid(), queued);
    }

    /** Gives back a pod whose binding failed, when its back-off is over, in its newest version. */
    public void retry(QueuedPod queued, PodInfo newest) {
        queued.pod = newest;
        if (byUid.putIfAbsent(queued.pod.uid(), queued) == null) {
            active.add(queued);
        }
    }

    /** Lets those try again whom an event may have helped. */
    public void wake(ClusterEvent event, ClusterState cluster, Instant now) {
        if (!unschedulable.isEmpty()) {
            wakeIf(queued -> queued.diagnosis.wakesOn(event, queued.pod, cluster), now);
        }
    }

    /** Lets one pod try again, whatever it waits for. */
    public void wake(String uid, Instant now) {
        QueuedPod queued = unschedulable.remove(uid);
        if (queued != null) {
            lineUp(queued, now);
        }
    }

    /** Lets those that have waited very long try again, in case a change was not seen as helpful. */
    public void wakeLongWaiting(Instant now) {
        wakeIf(queued -> !queued.waitingSince.plus(LONGEST_WAIT).isAfter(now), now);
    }

    public boolean hasUnschedulable() {
        return !unschedulable.isEmpty();
    }

    public int size() {
        return byUid.size();
    }

    /** How many pods may be tried now, wait for their back-off to end, and wait for a change. */
    public record Lengths(int active, int backedOff, int unschedulable) {
        public static final Lengths NONE = new Lengths(0, 0, 0);
    }

    public Lengths lengths() {
        return new Lengths(active.size(), backedOff.size(), unschedulable.size());
    }

    public static Duration backOff(QueuedPod queued) {
        Duration delay = FIRST_BACK_OFF.multipliedBy(1L << Math.min(queued.attempts - 1, 10));
        return delay.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : delay;
    }

    private void wakeIf(Predicate<QueuedPod> condition, Instant now) {
        List<QueuedPod> woken = new ArrayList<>();
        for (QueuedPod queued : unschedulable.values()) {
            if (condition.test(queued)) {
                woken.add(queued);
            }
        }
        for (QueuedPod queued : woken) {
            unschedulable.remove(queued.pod.uid());
            lineUp(queued, now);
        }
    }

    private void lineUp(QueuedPod queued, Instant now) {
        (queued.due.isAfter(now) ? backedOff : active).add(queued);
    }
}
