package io.argosy.client.leader;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport;
import io.argosy.client.TypedClient;
import io.argosy.client.fake.FakeApi;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderElectorTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Network network = new Network();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final LeaderElector first = elector("first");
    private final LeaderElector second = elector("second");

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @Test
    void onlyOneLeadsAndItsReleaseLetsTheOtherIn() {
        leadWithFirst();
        second.start();
        turn(3, Duration.ofSeconds(2), 2);
        assertThat(second.leading()).isFalse();
        first.close();
        assertThat(events).containsExactly("first leads", "first lost");
        eventually("second waits", () -> asleep(1));
        turn(1, Duration.ofSeconds(2), 1);
        eventually("second leads", second::leading);
        assertThat(lease().getSpec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void whoCannotRenewStepsDownBeforeAnotherStepsUp() {
        leadWithFirst();
        for (int i = 0; i < 5; i++) {
            api.failOnce(request -> true, new IllegalStateException("network down"));
            turn(1, Duration.ofSeconds(2), 1);
        }
        eventually("stepped down", () -> events.contains("first lost"));
        assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("first");
    }

    @Test
    void aDeadLeadersLeaseRunsOut() {
        leadWithFirst();
        Lease lease = lease();
        lease.getSpec().setHolderIdentity("ghost");
        api.client().resources(Lease.class).update(lease);
        turn(1, Duration.ofSeconds(2), 1);
        eventually("first lost", () -> events.contains("first lost"));
        turn(8, Duration.ofSeconds(2), 1);
        eventually("first leads again", first::leading);
    }

    @Test
    void whoseRenewalHangsStepsDownBeforeAnotherStepsUp() {
        leadWithFirst();
        network.answer = new CountDownLatch(1);
        clock.advance(Duration.ofSeconds(2));
        eventually("the renewal hangs, and its time runs", () -> network.waiting.get() == 1 && clock.waiting() == 1);
        clock.advance(Duration.ofSeconds(7));
        assertThat(first.leading()).isTrue();
        clock.advance(Duration.ofSeconds(1));
        eventually("stepped down", () -> events.contains("first lost"));
        assertThat(first.leading()).isFalse();
        network.answer.countDown();
        eventually("leads again", first::leading);
    }

    @Test
    void whoCannotBeginLetsOthersLeadAndTriesAgain() {
        AtomicInteger failures = new AtomicInteger(1);
        try (LeaderElector clumsy = new LeaderElector(
                api.client(),
                clock,
                "kube-system",
                "test",
                "clumsy",
                LeaderElector.Timing.DEFAULT,
                new LeaderElector.Callbacks(
                        () -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("no memory");
                            }
                            events.add("clumsy leads");
                        },
                        () -> events.add("clumsy lost")))) {
            clumsy.start();
            eventually("gave it back", () -> events.contains("clumsy lost") && asleep(1));
            assertThat(clumsy.leading()).isFalse();
            assertThat(lease().getSpec().getHolderIdentity()).isEmpty();
            clock.advance(Duration.ofSeconds(2));
            eventually("leads at last", () -> events.contains("clumsy leads"));
            assertThat(clumsy.leading()).isTrue();
            assertThat(events).containsExactly("clumsy lost", "clumsy leads");
        }
    }

    @Test
    void aLeaseThatDoesNotSayHowLongItCountsHasRunOut() {
        api.client()
                .resources(Lease.class)
                .create(new LeaseBuilder()
                        .withNewMetadata()
                        .withNamespace("kube-system")
                        .withName("test")
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity("ghost")
                        .endSpec()
                        .build());
        leadWithFirst();
        assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("first");
    }

    private void leadWithFirst() {
        first.start();
        eventually("first leads", first::leading);
        eventually("first waits", () -> asleep(1));
    }

    /** Turns the clock step by step, from sleep to sleep: no elector is under way when this returns. */
    private void turn(int steps, Duration step, int sleepers) {
        eventually("asleep", () -> asleep(sleepers));
        for (int i = 0; i < steps; i++) {
            clock.advance(step);
            eventually("asleep again", () -> asleep(sleepers));
        }
    }

    private boolean asleep(int sleepers) {
        return clock.holds().count() == 0 && clock.waiting() == sleepers;
    }

    private Lease lease() {
        return api.client().resources(Lease.class).get("kube-system", "test");
    }

    private LeaderElector elector(String identity) {
        return new LeaderElector(
                new TypedClient(network),
                clock,
                "kube-system",
                "test",
                identity,
                LeaderElector.Timing.DEFAULT,
                new LeaderElector.Callbacks(
                        () -> events.add(identity + " leads"), () -> events.add(identity + " lost")));
    }

    /** The way to the API, on which requests may get lost. */
    private final class Network implements ApiTransport {
        private volatile CountDownLatch answer = new CountDownLatch(0);
        private final AtomicInteger waiting = new AtomicInteger();

        @Override
        public Response send(Request request) {
            waiting.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("broken off", e);
            } finally {
                waiting.decrementAndGet();
            }
            return api.send(request);
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            return api.watch(request, sink);
        }
    }
}
