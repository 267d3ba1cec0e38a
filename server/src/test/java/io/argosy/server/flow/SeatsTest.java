package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.flow.FairQueues.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seats: own ones, lent ones, and those who wait for one. */
class SeatsTest {
    private final Seats seats = new Seats(10);
    private final List<String> woken = new ArrayList<>();

    private static PriorityLevel level(String name, int shares, int lendable, int borrowing, int queues) {
        return new PriorityLevel(new LevelSettings(name, "", false, shares, lendable, borrowing, queues, 1, 2));
    }

    private int fill(PriorityLevel level) {
        int taken = 0;
        while (seats.tryEnter(level, Work.ONE) != null) {
            taken++;
        }
        return taken;
    }

    private Seats.Refusal queue(PriorityLevel level, String name) {
        return queue(level, name, Work.ONE);
    }

    private Seats.Refusal queue(PriorityLevel level, String name, Work work) {
        return seats.enter(level, new Waiting(0, work, () -> woken.add(name)), () -> woken.add(name + " at once"));
    }

    @Test
    void seatsAreSharedByTheirShares() {
        PriorityLevel one = level("one", 30, 0, 0, 0);
        PriorityLevel other = level("other", 10, 0, 0, 0);
        seats.share(List.of(one, other));
        assertThat(fill(one)).isEqualTo(8);
        assertThat(fill(other)).isEqualTo(3);
    }

    @Test
    void unusedSeatsAreLentAsFarAsTheirOwnerLendsAndTheBorrowerMayBorrow() {
        PriorityLevel busy = level("busy", 10, 0, -1, 0);
        PriorityLevel generous = level("generous", 10, 40, -1, 0);
        seats.share(List.of(busy, generous));
        assertThat(fill(busy)).isEqualTo(5 + 2);
        assertThat(fill(generous)).isEqualTo(5); // what it had lent it may take back when it needs it
        assertThat(seats.tryEnter(busy, Work.ONE)).isNull();

        PriorityLevel modest = level("modest", 10, 0, 20, 0);
        PriorityLevel open = level("open", 10, 100, -1, 0);
        seats.share(List.of(modest, open));
        assertThat(fill(modest)).isEqualTo(5 + 1);
    }

    @Test
    void whoHasLentGetsBackFirst() {
        PriorityLevel busy = level("busy", 10, 0, -1, 1);
        PriorityLevel lender = level("lender", 10, 100, -1, 1);
        seats.share(List.of(busy, lender));
        assertThat(fill(busy)).isEqualTo(10);
        assertThat(queue(busy, "more of the busy")).isNull();
        assertThat(seats.tryEnter(lender, Work.ONE)).isNotNull();
        seats.leave(busy, Work.ONE);
        assertThat(woken).isEmpty(); // ten sit still, where busy may have nine
        seats.leave(busy, Work.ONE);
        assertThat(woken).containsExactly("more of the busy");
    }

    @Test
    void thoseWhoWaitAreSeatedAsSeatsComeFree() {
        PriorityLevel level = level("l", 1, 0, -1, 1);
        seats.share(List.of(level));
        assertThat(fill(level)).isEqualTo(10);
        assertThat(queue(level, "first")).isNull();
        assertThat(queue(level, "second")).isNull();
        assertThat(queue(level, "third")).isEqualTo(Seats.Refusal.QUEUE_FULL);
        seats.leave(level, Work.ONE);
        assertThat(woken).containsExactly("first");
        seats.leave(level, Work.ONE);
        assertThat(woken).containsExactly("first", "second");
        assertThat(seats.standing(level)).isEqualTo(new Seats.Standing(10, 10, 10, 0));
    }

    @Test
    void nobodyOvertakesThoseWhoWait() {
        PriorityLevel level = level("l", 1, 0, -1, 1);
        seats.share(List.of(level));
        fill(level);
        queue(level, "first");
        assertThat(seats.tryEnter(level, Work.ONE)).isNull();
    }

    @Test
    void whereNobodyMayWaitTheyAreRefused() {
        PriorityLevel level = level("l", 1, 0, -1, 0);
        seats.share(List.of(level));
        fill(level);
        assertThat(queue(level, "late")).isEqualTo(Seats.Refusal.NO_QUEUE);
    }

    @Test
    void moreSeatsAreFilledAtOnceAndALevelThatEndsLetsGo() {
        PriorityLevel level = level("l", 1, 0, 0, 1);
        PriorityLevel other = level("o", 9, 0, 0, 1);
        seats.share(List.of(level, other));
        assertThat(fill(level)).isEqualTo(1);
        queue(level, "first");
        queue(level, "second");
        level.settings(new LevelSettings("l", "", false, 2, 0, 0, 1, 1, 2));
        seats.share(List.of(level, other));
        assertThat(woken).containsExactly("first");
        seats.share(List.of(other));
        assertThat(woken).containsExactly("first", "second");
        for (int i = 0; i < 3; i++) {
            seats.leave(level, Work.ONE);
        }
        assertThat(level.inUse).isZero();
    }

    @Test
    void aWideRequestWaitsForAllItsSeatsAndNobodyPassesItMeanwhile() {
        PriorityLevel level = level("l", 1, 0, 0, 1);
        seats.share(List.of(level));
        assertThat(fill(level)).isEqualTo(10);
        assertThat(queue(level, "wide", Work.of(3))).isNull();
        assertThat(queue(level, "narrow")).isNull();
        seats.leave(level, Work.ONE);
        seats.leave(level, Work.ONE);
        assertThat(woken).isEmpty();
        seats.leave(level, Work.ONE);
        assertThat(woken).containsExactly("wide");
        assertThat(seats.standing(level)).isEqualTo(new Seats.Standing(10, 10, 10, 1));
        seats.leave(level, Work.of(3));
        assertThat(woken).containsExactly("wide", "narrow");
        assertThat(level.inUse).isEqualTo(8);
    }

    @Test
    void aWideRequestBorrowsAsManySeatsAsItNeeds() {
        PriorityLevel level = level("l", 10, 0, -1, 0);
        PriorityLevel lender = level("lender", 10, 60, -1, 0);
        seats.share(List.of(level, lender));
        assertThat(seats.tryEnter(level, Work.of(7))).isEqualTo(Work.of(7));
        assertThat(seats.standing(level)).isEqualTo(new Seats.Standing(5, 7, 7, 0));
        assertThat(seats.tryEnter(level, Work.of(2))).isNull();
        assertThat(fill(level)).isEqualTo(1);
    }

    @Test
    void aRequestWiderThanItsLevelHasTheLevelForItself() {
        PriorityLevel level = level("l", 1, 0, 0, 1);
        seats.share(List.of(level));
        assertThat(seats.tryEnter(level, Work.ONE)).isNotNull();
        assertThat(queue(level, "wide", Work.of(20))).isNull();
        seats.leave(level, Work.ONE);
        assertThat(woken).containsExactly("wide");
        assertThat(seats.tryEnter(level, Work.ONE)).isNull();
        seats.leave(level, Work.of(20));
        assertThat(fill(level)).isEqualTo(10);
    }

    @Test
    void whatComesAfterTheAnswerTakesLongerOnFewerSeats() {
        PriorityLevel level = level("l", 1, 0, 0, 1);
        seats.share(List.of(level));
        Work granted = seats.tryEnter(level, new Work(1, 20, Duration.ofMillis(5)));
        assertThat(granted).isEqualTo(new Work(1, 10, Duration.ofMillis(10)));
        assertThat(level.inUse).isEqualTo(10);
        seats.leave(level, granted);
        assertThat(level.inUse).isZero();
    }

    @ParameterizedTest
    @CsvSource({"600,8,1,75", "600,1,1,90", "100,8,1,12", "10,8,1,1", "5,8,1,1", "600,8,0,0"})
    void oneRequestMayTakeSoMuchOfALevelThatQueues(int total, int hand, int queues, int widest) {
        PriorityLevel level = new PriorityLevel(new LevelSettings("l", "", false, 1, 0, 0, queues, hand, 2));
        new Seats(total).share(List.of(level));
        assertThat(level.widest).isEqualTo(widest);
    }
}
