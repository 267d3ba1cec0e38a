package io.argosy.node.agent;

import io.argosy.api.time.Clock;
import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.admission.NodeAdmission;
import io.argosy.node.agent.admission.Rank;
import io.argosy.node.agent.eviction.Eviction;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.pod.PodWorker;
import io.argosy.node.agent.stats.PreemptionCounts;
import io.argosy.node.agent.work.Work;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes new pods in, one after the other. A critical one may have to wait until others have gone for it; who comes meanwhile waits too, so
 * that nobody takes the room that was made for it.
 */
final class Reception {
    private static final Logger LOG = LoggerFactory.getLogger(Reception.class);
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(10);

    private final Clock clock;
    private final EventRecorder events;
    private final Eviction eviction;
    private final NodeAdmission admission;
    private final PreemptionCounts counts;
    private final Map<String, PodWorker> workers;
    private final SequencedMap<String, PodWorker> waiting = new LinkedHashMap<>();
    private boolean makingRoom;

    /** All workers of the node are known by the uids of their pods. */
    Reception(
            Clock clock,
            EventRecorder events,
            Eviction eviction,
            NodeAdmission admission,
            PreemptionCounts counts,
            Map<String, PodWorker> workers) {
        this.clock = clock;
        this.events = events;
        this.eviction = eviction;
        this.admission = admission;
        this.counts = counts;
        this.workers = workers;
    }

    /** A pod is new here; its worker begins as soon as it is known whether the pod can be taken in. */
    synchronized void receive(PodWorker worker) {
        waiting.put(PodFacts.uid(worker.view().pod()), worker);
        worker.undecided().start();
        next();
    }

    private synchronized void next() {
        while (!makingRoom && !waiting.isEmpty()) {
            PodWorker worker = waiting.firstEntry().getValue();
            if (worker.ended().getCount() == 0) { // it was deleted while it waited, and nobody has to go for it
                waiting.pollFirstEntry();
                continue;
            }
            NodeAdmission.Decision decision = decide(worker.view().pod());
            waiting.pollFirstEntry();
            if (decision.refusal().isPresent()) {
                worker.refuse(decision.refusal().get());
            } else if (decision.victims().isEmpty()) {
                worker.admit();
            } else {
                makingRoom = true;
                Work.begin(
                        clock,
                        "preemption",
                        () -> makeRoom(decision, worker.view().pod(), worker::admit));
            }
        }
    }

    /** Who waits takes no room yet. */
    private NodeAdmission.Decision decide(Pod pod) {
        List<PodView> there = workers.entrySet().stream()
                .filter(known -> !waiting.containsKey(known.getKey()))
                .map(known -> known.getValue().view())
                .toList();
        return eviction.refusal(pod).map(NodeAdmission.Decision::refused).orElseGet(() -> admission.decide(pod, there));
    }

    /** For a pod that is here and asks for more: nothing is said if others go for it, otherwise why it is put off. */
    synchronized Optional<String> makeRoom(Pod wanted, String shortage) {
        if (!Rank.critical(wanted)) {
            return Optional.of(shortage);
        }
        if (makingRoom) {
            return Optional.empty();
        }
        NodeAdmission.Decision decision = decide(wanted);
        if (decision.victims().isEmpty()) {
            return Optional.of(decision.refusal().map(PodView.Ending::message).orElse(shortage));
        }
        makingRoom = true;
        Work.begin(clock, "preemption", () -> makeRoom(decision, wanted, () -> {}));
        return Optional.empty();
    }

    private void makeRoom(NodeAdmission.Decision decision, Pod critical, Runnable then) {
        try {
            for (Pod victim : decision.victims()) {
                LOG.info(
                        "pod {} is preempted for {}: {}",
                        PodFacts.fullName(victim),
                        PodFacts.fullName(critical),
                        decision.lacking());
                preempt(victim, decision.lacking());
            }
        } finally {
            then.run();
            done();
        }
    }

    private synchronized void done() {
        makingRoom = false;
        next();
    }

    /** One that does not go in time is waited for no longer; what it holds comes free when it goes. */
    private void preempt(Pod victim, String lacking) {
        PodWorker worker = workers.get(PodFacts.uid(victim));
        if (worker == null) {
            return;
        }
        Duration grace = Duration.ofSeconds(PodFacts.graceSeconds(victim));
        Duration patience = grace.plus(grace.dividedBy(2));
        CompletableFuture<Boolean> gone = new CompletableFuture<>();
        worker.evict(PodView.Ending.PREEMPTED, grace);
        worker.halted().thenRun(() -> gone.complete(true));
        Clock.Timer limit = clock.schedule(
                patience.compareTo(LEAST_PATIENCE) < 0 ? LEAST_PATIENCE : patience, () -> gone.complete(false));
        if (Work.await(clock, gone)) {
            counts.preempted(lacking);
        } else {
            events.event(
                    PodFacts.reference(victim),
                    EventRecorder.Type.Warning,
                    "ExceededGracePeriod",
                    "Container runtime did not kill the pod within specified grace period.");
        }
        limit.cancel();
    }
}
