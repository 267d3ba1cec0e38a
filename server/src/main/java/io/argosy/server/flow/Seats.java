package io.argosy.server.flow;

import io.argosy.server.flow.FairQueues.Waiting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The seats of the server, shared out among its priority levels. A level that needs more than it has borrows what others do not use, and gets
 * back what it lent as soon as it needs it: a borrower then starts nothing new until it is back within its means. All under one lock, which is
 * held for some ten nanoseconds.
 */
final class Seats {
    /** The part of a level's seats that one request may take. */
    private static final double WIDEST_PART = 0.15;

    private final ReentrantLock lock = new ReentrantLock();
    private final int total;
    private List<PriorityLevel> levels = List.of();
    private int waiting;

    /** Why a request is refused. */
    enum Refusal {
        QUEUE_FULL("queue-full"),
        NO_QUEUE("concurrency-limit"),
        TIME_OUT("time-out");

        final String reason;

        Refusal(String reason) {
            this.reason = reason;
        }
    }

    Seats(int total) {
        this.total = total;
    }

    /** Shares the seats out anew among these levels. Who waits for a level that is no more, or no longer queues, goes on at once. */
    void share(Collection<PriorityLevel> now) {
        List<Waiting> released = new ArrayList<>();
        lock.lock();
        try {
            int shares = 0;
            for (PriorityLevel level : now) {
                shares += level.settings().shares();
            }
            for (PriorityLevel level : levels) {
                if (!now.contains(level) && level.queues != null) {
                    List<Waiting> left = level.queues.drain();
                    released.addAll(seatedAnyway(level, left));
                }
            }
            for (PriorityLevel level : now) {
                share(level, shares);
                released.addAll(requeue(level));
            }
            levels = List.copyOf(now);
            waiting = levels.stream().mapToInt(PriorityLevel::waiting).sum();
            levels.forEach(level -> released.addAll(seated(level)));
        } finally {
            lock.unlock();
        }
        released.forEach(Waiting::wake);
    }

    private void share(PriorityLevel level, int shares) {
        LevelSettings settings = level.settings();
        level.nominal = shares == 0 ? 0 : (int) Math.ceil((double) total * settings.shares() / shares);
        level.kept = level.nominal - (int) Math.round(level.nominal * settings.lendablePercent() / 100.0);
        level.most = settings.borrowingPercent() < 0
                ? total
                : level.nominal + (int) Math.round(level.nominal * settings.borrowingPercent() / 100.0);
        level.widest = settings.queues() == 0
                ? 0
                : (int) Math.max(
                        1,
                        Math.min(
                                Math.ceil(level.nominal * WIDEST_PART),
                                level.nominal / Math.max(1, settings.handSize())));
        level.limit = level.nominal;
    }

    private static List<Waiting> seatedAnyway(PriorityLevel level, List<Waiting> waited) {
        for (Waiting request : waited) {
            request.grant(request.work());
            level.inUse += request.work().widest();
        }
        return waited;
    }

    /** Lets those who wait do so in the queues that are now asked for; gives those who cannot wait any more. */
    private static List<Waiting> requeue(PriorityLevel level) {
        LevelSettings settings = level.settings();
        FairQueues before = level.queues;
        int count = before == null ? 0 : before.count();
        int hand = Math.min(settings.handSize(), settings.queues());
        if (count == settings.queues() && (before == null || before.handSize() == hand)) {
            return List.of();
        }
        List<Waiting> waited = before == null ? List.of() : before.drain();
        level.queues = settings.queues() == 0 ? null : new FairQueues(settings.queues(), settings.handSize());
        if (level.queues == null) {
            return seatedAnyway(level, waited);
        }
        waited.forEach(request -> level.queues.offer(request, Integer.MAX_VALUE));
        return List.of();
    }

    /** What the request then has if there are seats at once; else null. */
    Work tryEnter(PriorityLevel level, Work work) {
        lock.lock();
        try {
            return level.waiting() == 0 ? sit(level, work) : null;
        } finally {
            lock.unlock();
        }
    }

    /** Null if there were seats at once, or the request waits for its turn: then it will be woken when it has them. */
    Refusal enter(PriorityLevel level, Waiting request, Runnable seatedAtOnce) {
        lock.lock();
        try {
            Work granted = level.waiting() == 0 ? sit(level, request.work()) : null;
            if (granted != null) {
                request.grant(granted);
                seatedAtOnce.run();
                return null;
            }
            if (level.queues == null) {
                return Refusal.NO_QUEUE;
            }
            if (!level.queues.offer(request, level.settings().queueLength())) {
                return Refusal.QUEUE_FULL;
            }
            waiting++;
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** The request will not wait any longer; false if it has been given a seat meanwhile. */
    boolean giveUp(PriorityLevel level, Waiting request) {
        lock.lock();
        try {
            boolean removed = level.queues != null && level.queues.remove(request);
            if (removed) {
                waiting--;
            }
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** A request that had waited is answered, and its flow is charged for what that took. */
    void charge(Waiting waited, double seconds) {
        lock.lock();
        try {
            FairQueues.charge(waited, seconds);
        } finally {
            lock.unlock();
        }
    }

    /** The request is done. */
    void leave(PriorityLevel level, Work granted) {
        List<Waiting> next = List.of();
        lock.lock();
        try {
            level.inUse -= granted.widest();
            if (waiting > 0) {
                next = new ArrayList<>(seated(level));
                for (PriorityLevel other : levels) {
                    if (other.waiting() > 0) {
                        next.addAll(seated(other));
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        next.forEach(Waiting::wake);
    }

    /** Seats those who wait, as far as there are seats. */
    private List<Waiting> seated(PriorityLevel level) {
        List<Waiting> seated = new ArrayList<>();
        while (level.waiting() > 0) {
            Work granted = sit(level, level.queues.peek().work());
            if (granted == null) {
                break; // nobody passes one who needs many seats, else they would never come together
            }
            Waiting next = level.queues.poll();
            next.grant(granted);
            seated.add(next);
            waiting--;
        }
        return seated;
    }

    /** Gives the request its seats; null if there are not enough. One that is wider than its level has it for itself. */
    private Work sit(PriorityLevel level, Work work) {
        int free = level.limit - level.inUse;
        while (free < work.widest() && borrow(level)) {
            free++;
        }
        boolean alone = level.inUse == 0 && level.limit > 0;
        if (free < work.widest() && !alone) {
            return null;
        }
        Work granted = work.within(level.limit);
        level.inUse += granted.widest();
        return granted;
    }

    /** One more seat for the level: one that nobody uses, or one that it has lent. */
    private boolean borrow(PriorityLevel level) {
        if (level.limit >= level.most || level.inUse > level.limit) {
            return false;
        }
        PriorityLevel lender = null;
        PriorityLevel debtor = null;
        for (PriorityLevel other : levels) {
            if (other == level || other.isExempt()) {
                continue;
            }
            if (other.spare() > 0 && (lender == null || other.spare() > lender.spare())) {
                lender = other;
            }
            if (other.limit > other.nominal
                    && (debtor == null || other.limit - other.nominal > debtor.limit - debtor.nominal)) {
                debtor = other;
            }
        }
        PriorityLevel giver = lender != null ? lender : level.limit < level.nominal ? debtor : null;
        if (giver == null) {
            return false;
        }
        giver.limit--;
        level.limit++;
        return true;
    }

    boolean anybodyWaits() {
        lock.lock();
        try {
            return waiting > 0;
        } finally {
            lock.unlock();
        }
    }

    /** How a level stands. */
    record Standing(int nominal, int limit, int inUse, int waiting) {}

    Standing standing(PriorityLevel level) {
        lock.lock();
        try {
            return new Standing(level.nominal, level.limit, level.inUse, level.waiting());
        } finally {
            lock.unlock();
        }
    }
}
