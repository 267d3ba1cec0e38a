package io.argosy.node.agent.resize;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.resize.Verdict.Answer;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What the node has granted to each of its pods, and who waits for more. Thread-safe: who asks is answered under one lock, so that
 * what is there is granted once, and in order.
 */
public final class Allocations {
    private static final Comparator<Waiting> ORDER = Comparator.comparing(Waiting::grows)
            .thenComparing(Comparator.comparingInt(Waiting::priority).reversed())
            .thenComparing(w -> !w.guaranteed())
            .thenComparingLong(Waiting::turn);

    private final Map<String, BigDecimal> allocatable;
    private final Rules rules;
    private final Map<String, PodRequests> held = new HashMap<>();
    private final Map<String, Waiting> waiting = new HashMap<>();
    private boolean open;
    private long turns;

    /** What the node has to give, in whole units. */
    public Allocations(Map<String, BigDecimal> allocatable) {
        this(allocatable, Rules.NONE);
    }

    public Allocations(Map<String, BigDecimal> allocatable, Rules rules) {
        this.allocatable = Map.copyOf(allocatable);
        this.rules = rules;
    }

    /** What else has a say in it: who is given other resources is looked at like one that is new. Nothing here may wait. */
    public interface Rules {
        Rules NONE = new Rules() {};

        /** Why the pod is put off though there might be room. */
        default Optional<String> hindrance(Pod wanted) {
            return Optional.empty();
        }

        /** There is no room. Nothing is said if others go for the pod, otherwise why it is put off. */
        default Optional<String> makeRoom(Pod wanted, String shortage) {
            return Optional.of(shortage);
        }
    }

    /** A pod that waits for other resources; of those alike the one that has waited longest is first. */
    private record Waiting(
            Pod pod, PodRequests wanted, boolean grows, long turn, String told, Consumer<Verdict> answer) {
        int priority() {
            return pod.getSpec().getPriority() == null ? 0 : pod.getSpec().getPriority();
        }

        boolean guaranteed() {
            return PodFacts.qosClass(pod).equals("Guaranteed");
        }

        Waiting told(String message) {
            return new Waiting(pod, wanted, grows, turn, message, answer);
        }
    }

    /** From now on all pods are known that were here before, and those who ask are answered. */
    public synchronized void open() {
        open = true;
        look();
    }

    /** The pod is here, and has as much as it says; others may have what it has less than before. */
    public synchronized void hold(Pod given) {
        PodRequests now = PodRequests.of(given);
        PodRequests before = held.put(PodFacts.uid(given), now);
        if (before != null && before.exceeds(now)) {
            look();
        }
    }

    /**
     * The pod asks for other resources than it holds. The answer comes at once or later, more than once if it is put off; until
     * {@link #hold} is told what it has got, the pod counts for the greater of both.
     */
    public synchronized void ask(Pod wanted, Consumer<Verdict> answer) {
        String uid = PodFacts.uid(wanted);
        PodRequests requests = PodRequests.of(wanted);
        Waiting before = waiting.get(uid);
        boolean grows = requests.exceeds(held.getOrDefault(uid, PodRequests.NONE));
        waiting.put(uid, new Waiting(wanted, requests, grows, before == null ? turns++ : before.turn(), null, answer));
        look();
    }

    /** The pod has all it wants. */
    public synchronized void withdraw(String uid) {
        waiting.remove(uid);
    }

    /** The pod takes nothing any more. */
    public synchronized void release(String uid) {
        waiting.remove(uid);
        if (held.remove(uid) != null) {
            look();
        }
    }

    /** What was in the way may not be any more. */
    public synchronized void retry() {
        look();
    }

    private void look() {
        if (!open || waiting.isEmpty()) {
            return;
        }
        List<Waiting> turn = new ArrayList<>(waiting.values());
        turn.sort(ORDER);
        for (Waiting one : turn) {
            String uid = PodFacts.uid(one.pod);
            judged(one.pod, Verdict.of(one.wanted, usedBeside(uid), allocatable))
                    .ifPresent(verdict -> settle(uid, one, verdict));
        }
    }

    private void settle(String uid, Waiting one, Verdict verdict) {
        if (verdict.answer() == Answer.GRANTED) {
            held.merge(uid, one.wanted, PodRequests::max);
        }
        if (verdict.answer() == Answer.DEFERRED) {
            waiting.put(uid, one.told(verdict.message()));
        } else {
            waiting.remove(uid);
        }
        if (!verdict.message().equals(one.told)) {
            one.answer.accept(verdict);
        }
    }

    /** Empty while others go for the pod: then there is nothing to tell, and who waits goes on waiting. */
    private Optional<Verdict> judged(Pod wanted, Verdict byFigures) {
        if (byFigures.answer() == Answer.INFEASIBLE) {
            return Optional.of(byFigures);
        }
        Optional<String> hindrance = rules.hindrance(wanted);
        if (hindrance.isPresent()) {
            return hindrance.map(why -> new Verdict(Answer.DEFERRED, why));
        }
        return byFigures.answer() == Answer.DEFERRED
                ? rules.makeRoom(wanted, byFigures.message()).map(why -> new Verdict(Answer.DEFERRED, why))
                : Optional.of(byFigures);
    }

    private PodRequests usedBeside(String uid) {
        PodRequests sum = PodRequests.NONE;
        for (Map.Entry<String, PodRequests> other : held.entrySet()) {
            sum = other.getKey().equals(uid) ? sum : sum.plus(other.getValue());
        }
        return sum;
    }
}
