package io.argosy.server.flow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The queues of one priority level. Each flow is dealt a hand of them and waits in the shortest; whose turn it is next is decided by the
 * time that the queues have been served so far, so that a flow with a thousand requests gets no more of it than one with ten. Not thread-safe.
 */
final class FairQueues {
    /** What a request is taken to cost until it is known. */
    private static final double EXPECTED_SECONDS = 0.003;

    private final int count;
    private final int handSize;
    private final Map<Integer, Queue> queues = new HashMap<>();
    private final Set<Queue> busy = new LinkedHashSet<>();
    private int waiting;

    /** How far service has come; a queue that was empty joins here, so that idleness saves up no credit. */
    private double served;

    /** Where requests wait, one after the other. */
    static final class Queue {
        private final ArrayDeque<Waiting> line = new ArrayDeque<>();
        private double nextStart;

        /** What all in the line will cost together. */
        private double work;

        /** When the first in line would be done. */
        private double nextFinish() {
            return nextStart + line.element().cost();
        }
    }

    /** A request in a queue. */
    static final class Waiting {
        private final long flow;
        private final Work work;
        private final Runnable wake;
        private Queue queue;
        private Work granted;

        Waiting(long flow, Work work, Runnable wake) {
            this.flow = flow;
            this.work = work;
            this.wake = wake;
        }

        Work work() {
            return work;
        }

        private double cost() {
            return work.seatSeconds(EXPECTED_SECONDS);
        }

        /** What it has been given, of the seats that there were. */
        Work granted() {
            return granted;
        }

        void grant(Work given) {
            granted = given;
        }

        /** Lets the request go on. */
        void wake() {
            wake.run();
        }
    }

    FairQueues(int count, int handSize) {
        this.count = count;
        this.handSize = Math.min(handSize, count);
    }

    int waiting() {
        return waiting;
    }

    int count() {
        return count;
    }

    int handSize() {
        return handSize;
    }

    /** Lines the request up in that queue of its flow's hand with the least work; false if that is as long as it may be. */
    boolean offer(Waiting request, int longest) {
        Queue shortest = null;
        for (int card : hand(request.flow, count, handSize)) {
            Queue queue = queues.computeIfAbsent(card, first -> new Queue());
            if (shortest == null || queue.work < shortest.work) {
                shortest = queue;
            }
        }
        if (shortest.line.size() >= longest) {
            return false;
        }
        if (shortest.line.isEmpty()) {
            shortest.nextStart = Math.max(shortest.nextStart, served);
        }
        shortest.line.add(request);
        shortest.work += request.cost();
        busy.add(shortest);
        request.queue = shortest;
        waiting++;
        return true;
    }

    /** The request whose turn it is, which goes on waiting; null if nobody waits. */
    Waiting peek() {
        Queue next = next();
        return next == null ? null : next.line.peek();
    }

    private Queue next() {
        Queue next = null;
        for (Queue queue : busy) {
            if (next == null || queue.nextFinish() < next.nextFinish()) {
                next = queue;
            }
        }
        return next;
    }

    /** The request whose turn it is, which waits no longer; null if nobody waits. */
    Waiting poll() {
        Queue next = next();
        if (next == null) {
            return null;
        }
        served = next.nextStart;
        Waiting first = next.line.poll();
        next.nextStart += first.cost();
        left(first);
        return first;
    }

    private void left(Waiting request) {
        Queue queue = request.queue;
        waiting--;
        queue.work -= request.cost();
        if (queue.line.isEmpty()) {
            queue.work = 0; // without what rounding left of it
            busy.remove(queue);
        }
        if (busy.isEmpty()) {
            queues.clear(); // everybody begins anew
        }
    }

    /** False if the request waits no longer. */
    boolean remove(Waiting request) {
        boolean removed = request.queue.line.remove(request);
        if (removed) {
            left(request);
        }
        return removed;
    }

    /** How long a request that had waited really took. */
    static void charge(Waiting request, double seconds) {
        request.queue.nextStart += request.work.seats() * (seconds - EXPECTED_SECONDS);
    }

    /** Everybody who waits, those who came first in front within each queue; nobody waits any more. */
    List<Waiting> drain() {
        List<Waiting> all = new ArrayList<>();
        for (Queue queue : busy) {
            all.addAll(queue.line);
            queue.line.clear();
        }
        busy.clear();
        queues.clear();
        waiting = 0;
        return all;
    }

    /** Deals as many different cards of the deck as the hand has, always the same ones to the same flow. */
    static int[] hand(long flow, int deck, int size) {
        int[] hand = new int[size];
        long left = flow & Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            int card = (int) (left % (deck - i));
            left /= deck - i;
            // The card counts those not dealt yet: go past the dealt ones at or below it, in their order.
            int at = 0;
            while (at < i && hand[at] <= card) {
                card++;
                at++;
            }
            System.arraycopy(hand, at, hand, at + 1, i - at);
            hand[at] = card;
        }
        return hand;
    }
}
