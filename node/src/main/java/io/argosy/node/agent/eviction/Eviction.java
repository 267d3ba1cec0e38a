package io.argosy.node.agent.eviction;

import io.argosy.api.time.Clock;
import io.argosy.client.event.EventRecorder;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.admission.Rank;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.stats.Measure;
import io.argosy.node.agent.stats.PodUse;
import io.argosy.node.agent.work.Work;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.image.ImageStore;
import io.argosy.node.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every ten seconds whether something runs short on the node, says so in the node's conditions, and ends pods, one at a time,
 * until it does not; pods that have more on the disk than they said go at once.
 */
public final class Eviction implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Eviction.class);
    private static final String MEMORY_TAINT = "node.kubernetes.io/memory-pressure";
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    /** How long an evicted pod is waited for before the next one goes. */
    private static final Duration CLEAN_UP = Duration.ofSeconds(30);

    private final List<Threshold> thresholds;
    private final Measure measure;
    private final Hands hands;
    private final ImageJanitor images;
    private final Clock clock;

    private volatile Pressure pressure = Pressure.NONE;
    private Instant lastCollection;
    private Instant lastEviction = Instant.EPOCH;
    private Clock.Timer timer;
    private boolean closed;

    /** What is done. */
    public interface Hands {
        Collection<PodView> pods();

        /** Ends the pod as failed, within this grace if its own is longer. */
        void evict(Pod pod, PodView.Ending why, Duration grace);

        /** Removes what pods that have ended still have on the disk; whether there was any. */
        boolean clearEnded();
    }

    Eviction(List<Threshold> thresholds, Measure measure, Hands hands, ImageJanitor images, Clock clock) {
        this.thresholds = thresholds;
        this.measure = measure;
        this.hands = hands;
        this.images = images;
        this.clock = clock;
        lastCollection = clock.now();
    }

    /** With the thresholds of this node, on what is measured of it. */
    public static Eviction of(
            NodeConfig node,
            Measure measure,
            ImageStore images,
            ContainerRuntime runtime,
            Hands hands,
            Clock clock,
            EventRecorder events) {
        ObjectReference about = new ObjectReferenceBuilder()
                .withKind("Node")
                .withName(node.name())
                .withUid(node.name())
                .build();
        ImageJanitor janitor =
                new ImageJanitor(images, runtime, hands::pods, () -> DiskSpace.of(images.root()), clock, events, about);
        return new Eviction(node.settings().eviction(), measure, hands, janitor, clock);
    }

    public synchronized void start() {
        if (!closed) {
            timer = clock.schedule(PERIOD, () -> Work.begin(clock, "eviction", this::beat));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    /** The conditions of the Node that hold: MemoryPressure, DiskPressure, PIDPressure. */
    public Set<String> conditions() {
        return pressure.conditions();
    }

    /** Why a new pod cannot be taken in now; those without any claim to memory are the first to suffer from its shortage. */
    public Optional<PodView.Ending> refusal(Pod pod) {
        Set<String> conditions = conditions();
        boolean onlyMemory = conditions.equals(Set.of(Signal.MEMORY.condition()));
        boolean bearsIt = !PodFacts.qosClass(pod).equals("BestEffort")
                || pod.getSpec().getTolerations().stream().anyMatch(Eviction::ofMemoryPressure);
        return conditions.isEmpty() || Rank.critical(pod) || (onlyMemory && bearsIt)
                ? Optional.empty()
                : Optional.of(new PodView.Ending(
                        PodView.Ending.EVICTED, "The node had condition: [" + String.join(" ", conditions) + "]. "));
    }

    /** Whether the taint that the node has then is tolerated. */
    private static boolean ofMemoryPressure(Toleration toleration) {
        boolean anyKey = toleration.getKey() == null || toleration.getKey().isEmpty();
        boolean exists = "Exists".equals(toleration.getOperator());
        boolean noValue = toleration.getValue() == null || toleration.getValue().isEmpty();
        String effect = toleration.getEffect();
        return (effect == null || effect.isEmpty() || effect.equals("NoSchedule"))
                && (anyKey ? exists : toleration.getKey().equals(MEMORY_TAINT) && (exists || noValue));
    }

    private void beat() {
        try {
            look();
        } catch (RuntimeException e) {
            LOG.error("the node's pressure could not be looked at", e);
        }
        start();
    }

    private void look() {
        Instant now = clock.now();
        if (!lastCollection.plus(ImageJanitor.PERIOD).isAfter(now)) {
            lastCollection = now;
            images.collect();
        }
        Map<Signal, Signal.Observation> observed = Signal.observe(measure.node());
        pressure = pressure.next(thresholds, observed, now);
        if (evictGreedy()) {
            return;
        }
        List<Threshold> due = pressure.due(now);
        if (!due.isEmpty()) {
            relieve(due.getFirst(), observed.get(due.getFirst().signal()));
        }
    }

    /** Those who broke their own word go whether or not the node suffers. */
    private boolean evictGreedy() {
        boolean any = false;
        for (PodView view : living()) {
            if (StorageLimits.any(view.pod())) {
                Optional<String> why = measure.pod(view).flatMap(StorageLimits::exceeded);
                if (why.isPresent() && !Rank.critical(view.pod())) {
                    hands.evict(view.pod(), new PodView.Ending(PodView.Ending.EVICTED, why.get()), AT_ONCE);
                    any = true;
                }
            }
        }
        return any;
    }

    private void relieve(Threshold threshold, Signal.Observation seen) {
        if (threshold.signal().ofDisk() && (hands.clearEnded() | images.collectAll())) {
            Signal.Observation after = Signal.observe(measure.node()).get(threshold.signal());
            if (after != null && !threshold.met(after, true)) {
                return;
            }
        }
        if (lastEviction.plus(CLEAN_UP).isAfter(clock.now())
                && hands.pods().stream().anyMatch(Eviction::leaving)) {
            return; // what the one before had is not free yet
        }
        List<PodUse> uses =
                living().stream().flatMap(view -> measure.pod(view).stream()).toList();
        for (PodUse victim : Victims.ranked(threshold.signal(), uses)) {
            if (!Rank.critical(victim.pod())) {
                Duration grace =
                        threshold.grace().isZero() ? AT_ONCE : Duration.ofSeconds(PodFacts.graceSeconds(victim.pod()));
                String message = Victims.message(threshold, seen, victim);
                LOG.warn("pod {} is evicted: {}", PodFacts.fullName(victim.pod()), message);
                hands.evict(victim.pod(), new PodView.Ending(PodView.Ending.EVICTED, message), grace);
                lastEviction = clock.now();
                return;
            }
        }
        LOG.warn(
                "the node is low on {} and there is no pod to evict",
                threshold.signal().resource());
    }

    private static boolean leaving(PodView view) {
        return !view.cleaned()
                && view.ending().filter(PodView.Ending::isEviction).isPresent();
    }

    private List<PodView> living() {
        return hands.pods().stream()
                .filter(view -> !view.removed()
                        && view.ending().isEmpty()
                        && !PodFacts.deleting(view.pod())
                        && !PodFacts.terminal(view.pod()))
                .toList();
    }
}
