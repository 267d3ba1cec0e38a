package io.argosy.client.leader;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.fake.FakeApi;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderElectorTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
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
        eventually("second waits", () -> clock.waiting() == 1);
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

    private void leadWithFirst() {
        first.start();
        eventually("first leads", first::leading);
        eventually("first waits", () -> clock.waiting() == 1);
    }

    /** Turns the clock step by step, from sleep to sleep: no elector is under way when this returns. */
    private void turn(int steps, Duration step, int sleepers) {
        eventually("asleep", () -> clock.waiting() == sleepers);
        for (int i = 0; i < steps; i++) {
            clock.advance(step);
            eventually("asleep again", () -> clock.waiting() == sleepers);
        }
    }

    private Lease lease() {
        return api.client().resources(Lease.class).get("kube-system", "test");
    }

    private LeaderElector elector(String identity) {
        return new LeaderElector(
                api.client(),
                clock,
                "kube-system",
                "test",
                identity,
                LeaderElector.Timing.DEFAULT,
                new LeaderElector.Callbacks(
                        () -> events.add(identity + " leads"), () -> events.add(identity + " lost")));
    }
}
