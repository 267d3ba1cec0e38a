package io.argosy.node.agent.eviction;

import static io.argosy.client.fake.Eventually.eventually;
import static io.argosy.node.agent.eviction.Uses.MEBI;
import static io.argosy.node.agent.eviction.Uses.limited;
import static io.argosy.node.agent.eviction.Uses.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeImages;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.stats.Measure;
import io.argosy.node.agent.stats.NodeUse;
import io.argosy.node.agent.stats.PodUse;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.runtime.Stalls;
import io.argosy.node.usage.MachineCounters;
import io.argosy.node.usage.UsageMeter;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The loop over numbers that the test gives, with time turned by hand. */
class EvictionTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeImages images = new FakeImages().with("unused:1");
    private final Map<String, PodUse> pods = new ConcurrentHashMap<>();
    private final List<String> evicted = new CopyOnWriteArrayList<>();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile long memoryLeft = 500 * MEBI;
    private volatile long diskLeft = 900;
    private volatile long leftovers;
    private volatile boolean slow;
    private Eviction eviction;

    private final class Numbers implements Measure {
        @Override
        public NodeUse node() {
            looks.incrementAndGet();
            return new NodeUse(
                    clock.now(),
                    Optional.of(new MachineCounters.Read(Instant.EPOCH, 0, 1000 * MEBI - memoryLeft, memoryLeft)),
                    Optional.empty(),
                    Optional.empty(),
                    Stalls.UNKNOWN,
                    Optional.of(new DiskSpace(1000, diskLeft, diskLeft, 100, 90)),
                    Optional.empty(),
                    Map.of());
        }

        @Override
        public Optional<PodUse> pod(PodView view) {
            return Optional.ofNullable(pods.get(view.pod().getMetadata().getName()));
        }

        @Override
        public UsageMeter meter() {
            throw new AssertionError("nobody asks for averages");
        }
    }

    private final class Recording implements Eviction.Hands {
        @Override
        public Collection<PodView> pods() {
            return pods.values().stream()
                    .map(use -> Uses.view(use.pod(), clock.now(), ending(use.pod())))
                    .toList();
        }

        @Override
        public void evict(Pod pod, PodView.Ending why, Duration grace) {
            evicted.add(pod.getMetadata().getName() + " " + grace.toSeconds() + ": " + why.message());
            if (!slow) {
                pods.remove(pod.getMetadata().getName());
            }
        }

        @Override
        public boolean clearEnded() {
            boolean any = leftovers > 0;
            diskLeft += leftovers;
            leftovers = 0;
            return any;
        }
    }

    private Optional<PodView.Ending> ending(Pod pod) {
        return evicted.stream()
                .filter(line -> line.startsWith(pod.getMetadata().getName() + " "))
                .map(line -> new PodView.Ending(PodView.Ending.EVICTED, line))
                .findFirst();
    }

    private void start(List<Threshold> thresholds) {
        ImageJanitor janitor = new ImageJanitor(
                images,
                new FakeRuntime(clock),
                List::of,
                () -> new DiskSpace(1000, diskLeft, diskLeft, 100, 90),
                clock,
                new FakeEvents(),
                new ObjectReference());
        eviction = new Eviction(thresholds, new Numbers(), new Recording(), janitor, clock);
        eviction.start();
    }

    @AfterEach
    void stop() {
        eviction.close();
    }

    /** Lets the loop look once more; it has looked when it waits for the next time. */
    private void lookOnce() {
        int before = looks.get();
        clock.advance(Duration.ofSeconds(10));
        eventually("it looked", () -> looks.get() > before && clock.waiting() > 0);
    }

    private void runs(PodBuilder pod, long memoryMebi) {
        PodUse use = Uses.memory(pod, memoryMebi);
        pods.put(use.pod().getMetadata().getName(), use);
    }

    @Test
    void onePodAtATimeGoesUntilThereIsEnoughMemory() {
        runs(pod("small", 0), 10);
        runs(pod("large", 0), 300);
        runs(pod("system", 2_000_000_000), 900);
        start(Threshold.DEFAULT);
        lookOnce();
        assertThat(evicted).isEmpty();
        assertThat(eviction.conditions()).isEmpty();

        memoryLeft = 50 * MEBI;
        lookOnce();
        assertThat(evicted)
                .containsExactly(
                        "large 1: The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. "
                                + "Container web was using 300Mi, request is 0, has larger consumption of memory. ");
        assertThat(eviction.conditions()).containsExactly("MemoryPressure");
        lookOnce();
        lookOnce();

        assertThat(evicted).hasSize(2);
        assertThat(pods).containsOnlyKeys("system");
        assertThat(eviction.refusal(pod("new", 0).build()))
                .hasValue(new PodView.Ending("Evicted", "The node had condition: [MemoryPressure]. "));
        assertThat(eviction.refusal(
                        Uses.requesting(pod("new", 0), "memory", "1Mi").build()))
                .isEmpty();
        assertThat(eviction.refusal(pod("system", 2_000_000_000).build())).isEmpty();
        assertThat(eviction.refusal(tolerating("node.kubernetes.io/memory-pressure", "Exists", "NoSchedule")))
                .isEmpty();
        assertThat(eviction.refusal(tolerating(null, "Exists", null))).isEmpty();
        assertThat(eviction.refusal(tolerating("node.kubernetes.io/memory-pressure", "Exists", "NoExecute")))
                .isPresent();
        assertThat(eviction.refusal(tolerating("node.kubernetes.io/disk-pressure", "Exists", "NoSchedule")))
                .isPresent();
    }

    private static Pod tolerating(String key, String operator, String effect) {
        return pod("new", 0)
                .editSpec()
                .addNewToleration()
                .withKey(key)
                .withOperator(operator)
                .withEffect(effect)
                .endToleration()
                .endSpec()
                .build();
    }

    @Test
    void aPodBeyondItsOwnLimitGoesThoughTheNodeHasRoom() {
        PodUse greedy = Uses.disk(limited(pod("greedy", 0), "ephemeral-storage", "1Mi"), 2);
        pods.put("greedy", greedy);
        runs(pod("modest", 0), 1);
        start(Threshold.DEFAULT);

        lookOnce();

        assertThat(evicted)
                .containsExactly(
                        "greedy 1: Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ");
    }

    @Test
    void whatEndedPodsLeftGoesBeforePods() {
        runs(pod("p", 0), 1);
        start(Threshold.DEFAULT);
        leftovers = 500;
        diskLeft = 40;

        lookOnce();
        lookOnce();

        assertThat(evicted).isEmpty();
        assertThat(diskLeft).isEqualTo(540);
    }

    @Test
    void theNextPodGoesOnlyWhenTheOneBeforeIsGoneOrTakesTooLong() {
        slow = true;
        runs(pod("small", 0), 10);
        runs(pod("large", 0), 300);
        memoryLeft = 50 * MEBI;
        start(Threshold.DEFAULT);

        lookOnce();
        lookOnce();
        lookOnce();
        assertThat(evicted).hasSize(1);

        lookOnce();
        assertThat(evicted).hasSize(2);
    }

    @Test
    void imagesThatNobodyUsesGoBeforePods() {
        runs(pod("p", 0), 1);
        start(Threshold.DEFAULT);
        for (int i = 0; i < 31; i++) { // past the regular look at images, by which this one is old enough
            lookOnce();
        }
        assertThat(images.list()).hasSize(1);

        diskLeft = 40;
        lookOnce();
        assertThat(eviction.conditions()).containsExactly("DiskPressure");
        for (int i = 0; i < 13 && !images.list().isEmpty(); i++) {
            lookOnce();
        }

        assertThat(images.list()).isEmpty();
        assertThat(eviction.refusal(
                        Uses.requesting(pod("new", 0), "memory", "1Mi").build()))
                .isPresent();
    }
}
