package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.flow.FairQueues.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Hands of queues, and whose turn it is. */
class FairQueuesTest {
    private final List<String> served = new ArrayList<>();

    private Waiting of(long flow, String name) {
        return new Waiting(flow, Work.ONE, () -> served.add(name));
    }

    @Test
    void handsAreDifferentCardsAndAlwaysTheSame() {
        SplittableRandom random = new SplittableRandom(1);
        int[] dealt = new int[16];
        for (int i = 0; i < 10_000; i++) {
            long flow = random.nextLong();
            int[] hand = FairQueues.hand(flow, 16, 4);
            assertThat(hand).hasSize(4).doesNotHaveDuplicates().isEqualTo(FairQueues.hand(flow, 16, 4));
            Arrays.stream(hand).forEach(card -> dealt[card]++);
        }
        assertThat(Arrays.stream(dealt).min().getAsInt()).isGreaterThan(2_200);
        assertThat(Arrays.stream(dealt).max().getAsInt()).isLessThan(2_800);
        assertThat(FairQueues.hand(0, 3, 3)).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void aLongQueueIsServedNoMoreThanAShortOne() {
        FairQueues queues = new FairQueues(2, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(queues.offer(of(0, "much"), 10)).isTrue();
        }
        queues.offer(of(1, "little"), 10);
        queues.offer(of(1, "little"), 10);
        for (Waiting next = queues.poll(); next != null; next = queues.poll()) {
            next.wake();
        }
        assertThat(served).containsExactly("much", "little", "much", "little", "much", "much", "much");
        assertThat(queues.waiting()).isZero();
    }

    @Test
    void whatTakesLongCostsTurns() {
        FairQueues queues = new FairQueues(2, 1);
        for (int i = 0; i < 3; i++) {
            queues.offer(of(0, "slow"), 10);
            queues.offer(of(1, "quick"), 10);
        }
        for (Waiting next = queues.poll(); next != null; next = queues.poll()) {
            int before = served.size();
            next.wake();
            FairQueues.charge(next, served.get(before).equals("slow") ? 1 : 0.001);
        }
        assertThat(served).containsExactly("slow", "quick", "quick", "quick", "slow", "slow");
    }

    @Test
    void aWideRequestCostsAsManyTurnsAsItHasSeats() {
        FairQueues queues = new FairQueues(2, 1);
        for (int i = 0; i < 2; i++) {
            queues.offer(new Waiting(0, Work.of(3), () -> served.add("wide")), 10);
        }
        for (int i = 0; i < 7; i++) {
            queues.offer(of(1, "narrow"), 10);
        }
        for (Waiting next = queues.peek(); next != null; next = queues.peek()) {
            assertThat(queues.poll()).isSameAs(next);
            next.wake();
        }
        assertThat(served.subList(0, 4)).filteredOn("wide"::equals).hasSize(1);
        assertThat(served.subList(4, 8)).filteredOn("wide"::equals).hasSize(1);
    }

    @Test
    void aNewRequestWaitsWhereTheLeastWorkIsBeforeIt() {
        FairQueues queues = new FairQueues(2, 2);
        queues.offer(new Waiting(0, Work.of(5), () -> served.add("wide")), 2);
        queues.offer(of(0, "first"), 2);
        queues.offer(of(0, "second"), 2); // behind the first, although that queue is no shorter
        assertThat(queues.offer(of(0, "third"), 2)).isFalse();
    }

    @Test
    void whoWasIdleHasNoCredit() {
        FairQueues queues = new FairQueues(2, 1);
        for (int i = 0; i < 100; i++) {
            queues.offer(of(0, "steady"), 200);
        }
        for (int i = 0; i < 50; i++) {
            queues.poll();
        }
        for (int i = 0; i < 3; i++) {
            queues.offer(of(1, "late"), 200);
        }
        for (int i = 0; i < 6; i++) {
            queues.poll().wake();
        }
        assertThat(served).filteredOn("late"::equals).hasSize(3);
        assertThat(served).filteredOn("steady"::equals).hasSize(3);
    }

    @Test
    void fullQueuesTakeNobodyAndWhoGivesUpMakesRoom() {
        FairQueues queues = new FairQueues(1, 1);
        Waiting first = of(0, "first");
        assertThat(queues.offer(first, 1)).isTrue();
        assertThat(queues.offer(of(0, "second"), 1)).isFalse();
        assertThat(queues.remove(first)).isTrue();
        assertThat(queues.remove(first)).isFalse();
        assertThat(queues.offer(of(0, "third"), 1)).isTrue();
    }
}
