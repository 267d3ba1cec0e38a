package io.argosy.operators.plan;

import static io.argosy.operators.plan.Given.NEW;
import static io.argosy.operators.plan.Given.OLD;
import static io.argosy.operators.plan.Given.PATIENCE;
import static io.argosy.operators.plan.Given.m;
import static io.argosy.operators.plan.Given.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.argosy.operators.plan.Given.M;
import io.argosy.operators.plan.Given.Want;
import io.argosy.operators.plan.Member.Obstacle;
import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import io.argosy.operators.plan.Step.Why;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every branch in which something is done, as a case: what is wanted, what there is, what to do. */
class PlanTest {
    private static Arguments c(String behaviour, Step expected, Want want, M... members) {
        return arguments(behaviour, expected, want, members);
    }

    static Stream<Arguments> steps() {
        Want three = Want.THREE;
        M a = m("a", 1).leads();
        M b = m("b", 2);
        M c = m("c", 3);
        M d = m("d", 4);
        M e = m("e", 5);
        List<Arguments> cases = new ArrayList<>();
        cases.add(c(
                "an empty place gets a seed",
                new Step.Bootstrap(),
                three.unborn().unlisted()));
        cases.add(c(
                "a seed's volume without pod gets its pod",
                new Step.Start("a"),
                three.unborn().unlisted(),
                a.unlisted().ill().pod(Pod.ABSENT)));
        cases.add(c(
                "a seed's failed pod without volume is cleared away",
                new Step.Clear("a"),
                three.unborn().unlisted(),
                a.unlisted().ill().pod(Pod.FAILED).volume(Volume.NONE)));
        cases.add(c("that it lives is written down first", new Step.Born(), three.unborn(), a));
        cases.add(c("a healthy seed is joined by another", new Step.Add(NEW, true), three, a));
        cases.add(c("the third follows the second", new Step.Add(NEW, true), three, a, b));
        cases.add(c(
                "before 3.4 there are no learners",
                new Step.Add("3.2.13", false),
                three.version("3.2.13"),
                a.runs("3.2.13")));
        cases.add(c("a learner that answers gets its vote", new Step.Promote("b", 2), three, a, b.learns()));
        cases.add(c(
                "a learner that never answers is given up, also beside a single voter",
                new Step.Remove("b", 2, Why.DEAD),
                three,
                a,
                b.learns().unstarted().ill(PATIENCE)));
        cases.add(c(
                "a learner goes before others", new Step.Remove("b", 2, Why.SURPLUS), three.size(2), a, b.learns(), c));
        cases.add(c("enough members are left alone", new Step.Steady(), three, a, b, c));
        cases.add(c(
                "a member added before a crash gets its volume and pod",
                new Step.Adopt("b", NEW),
                three,
                a,
                b.unstarted().ill().pod(Pod.ABSENT).volume(Volume.NONE)));
        cases.add(c(
                "also when it counts already and the majority waits for it",
                new Step.Adopt("b", NEW),
                three.unlisted(),
                a,
                b.unstarted().ill().at(0).pod(Pod.ABSENT).volume(Volume.NONE)));
        cases.add(c(
                "a volume made before a crash gets its pod",
                new Step.Start("b"),
                three,
                a,
                b.unstarted().ill().pod(Pod.ABSENT)));
        cases.add(c(
                "a pod that failed before it ever joined is made anew",
                new Step.Clear("b"),
                three,
                a,
                b.unstarted().ill().pod(Pod.FAILED).volume(Volume.NONE)));
        cases.add(c(
                "a newcomer that never starts is given up in time",
                new Step.Remove("c", 3, Why.DEAD),
                three,
                a,
                b,
                c.unstarted().ill(PATIENCE)));
        // scale down
        cases.add(c("one too many goes, not the leader", new Step.Remove("c", 3, Why.SURPLUS), three.size(2), a, b, c));
        cases.add(c(
                "not the leader, also if it would be its turn",
                new Step.Remove("d", 4, Why.SURPLUS),
                three,
                m("a", 1),
                b,
                c,
                d,
                e.leads()));
        cases.add(c("a silent one goes first", new Step.Remove("b", 2, Why.SURPLUS), three, a, b.ill(), c, d));
        cases.add(c("two become one", new Step.Remove("b", 2, Why.SURPLUS), three.size(1), a, b));
        cases.add(c(
                "of three with one silent, the silent one goes",
                new Step.Remove("c", 3, Why.SURPLUS),
                three.size(2),
                a,
                b,
                c.ill()));
        cases.add(c("what was removed leaves its pod and volume", new Step.Discard("d"), three, a, b, c, d.unlisted()));
        cases.add(c(
                "what was removed leaves its volume too",
                new Step.Discard("d"),
                three,
                a,
                b,
                c,
                d.unlisted().pod(Pod.ABSENT)));
        cases.add(c(
                "what is leaving is let go",
                new Step.Steady(),
                three,
                a,
                b,
                c,
                d.unlisted().pod(Pod.LEAVING).volume(Volume.LEAVING)));
        // failover
        cases.add(c(
                "a deleted pod comes back on its volume",
                new Step.Start("b"),
                three,
                a,
                b.ill().pod(Pod.ABSENT),
                c));
        cases.add(c(
                "an evicted pod is cleared for its successor",
                new Step.Clear("b"),
                three,
                a,
                b.ill().pod(Pod.FAILED),
                c));
        cases.add(c(
                "a volume and pod gone: dead at once",
                new Step.Remove("b", 2, Why.DEAD),
                three,
                a,
                b.ill().pod(Pod.ABSENT).volume(Volume.NONE),
                c));
        cases.add(c(
                "a failed pod without volume: dead at once",
                new Step.Remove("b", 2, Why.DEAD),
                three,
                a,
                b.ill().pod(Pod.FAILED).volume(Volume.NONE),
                c));
        cases.add(c(
                "a lost volume: dead at once",
                new Step.Remove("b", 2, Why.DEAD),
                three,
                a,
                b.ill().volume(Volume.LOST),
                c));
        cases.add(c("silent for too long: dead", new Step.Remove("b", 2, Why.DEAD), three, a, b.ill(PATIENCE), c));
        cases.add(c(
                "one of two dead at a time",
                new Step.Remove("b", 2, Why.DEAD),
                three.size(5),
                a,
                b.ill(PATIENCE),
                c,
                d,
                e.ill(PATIENCE)));
        cases.add(c("then its successor", new Step.Remove("e", 5, Why.DEAD), three.size(5), a, c, d, e.ill(PATIENCE)));
        cases.add(c("a dead one is replaced by another", new Step.Add(NEW, true), three, a, c));
        // all at once
        cases.add(c(
                "after a blackout the first comes back",
                new Step.Start("a"),
                three.unlisted(),
                a.unlisted().ill().pod(Pod.ABSENT),
                b.unlisted().ill().pod(Pod.ABSENT),
                c.unlisted().ill().pod(Pod.ABSENT)));
        cases.add(c(
                "and so does the last",
                new Step.Start("c"),
                three.unlisted(),
                a.unlisted().ill(),
                b.unlisted().ill(),
                c.unlisted().ill().pod(Pod.ABSENT)));
        // consent
        cases.add(c(
                "with consent, the others are ended first, or they would be a cluster too",
                new Step.Dismiss("b", List.of("a")),
                three.unlisted().keep("b"),
                a.unlisted().ill(),
                b.unlisted().ill()));
        M ended = a.unlisted().ill().pod(Pod.ABSENT);
        cases.add(c(
                "then the named survivor is made a cluster",
                new Step.Force("b"),
                three.unlisted().keep("b"),
                ended,
                b.unlisted().ill()));
        cases.add(c(
                "it is started, and nobody else",
                new Step.Start("b"),
                three.unlisted(),
                ended,
                b.unlisted().ill().force().pod(Pod.ABSENT)));
        cases.add(c(
                "when it is one, the others' remains go, so that they never come back",
                new Step.Discard("a"),
                three,
                b.leads().force(),
                ended));
        cases.add(c(
                "that the consent is used is written down",
                new Step.Born(),
                three.keep("b"),
                b.leads().force()));
        cases.add(c(
                "then it stops being made one",
                new Step.EndForce("b"),
                three,
                b.leads().force()));
        cases.add(c(
                "what a crash has left of the others goes",
                new Step.Discard("a"),
                three,
                b.leads(),
                a.unlisted().ill()));
        // restore
        M s = m("s", 9).fromSnapshot().ill();
        cases.add(c(
                "a member made of a snapshot takes the others' place",
                new Step.Dismiss("s", List.of("a", "b")),
                three.unlisted(),
                a.unlisted().ill(),
                b.unlisted().ill().pod(Pod.FAILED),
                c.unlisted().ill().pod(Pod.ABSENT),
                s.pod(Pod.ABSENT)));
        cases.add(c(
                "also if they are healthy, for then it was forced",
                new Step.Dismiss("s", List.of("a", "b", "c")),
                three,
                a,
                b,
                c,
                s.pod(Pod.ABSENT)));
        cases.add(c(
                "it is started when they are gone, and their volumes are left",
                new Step.Start("s"),
                three.unlisted(),
                a.unlisted().ill().pod(Pod.ABSENT),
                s.pod(Pod.ABSENT)));
        cases.add(c(
                "also of a cluster that never was",
                new Step.Start("s"),
                three.unborn().unlisted(),
                s.pod(Pod.ABSENT)));
        cases.add(c("its failed pod is made anew", new Step.Clear("s"), three.unlisted(), s.pod(Pod.FAILED)));
        cases.add(c(
                "back to what runs, while one still runs it",
                new Step.Upgrade("c", OLD),
                three.version(OLD),
                a.runs(OLD),
                b.runs(OLD),
                c));
        cases.add(c(
                "also for one that never came up",
                new Step.Upgrade("c", OLD),
                three.version(OLD),
                a.runs(OLD),
                b.runs(OLD),
                c.stuck(Obstacle.IMAGE)));
        cases.add(c(
                "also for a single one",
                new Step.Upgrade("a", OLD),
                three.size(1).unlisted().version(OLD).ran(OLD),
                a.unlisted().stuck(Obstacle.IMAGE)));
        cases.add(c(
                "a pod that cannot start is made anew when it would be made otherwise",
                new Step.Clear("c"),
                three,
                a,
                b,
                c.stuck(Obstacle.OTHER).changes()));
        cases.add(c(
                "a seed that cannot start is begun again when something else is wanted",
                new Step.Discard("a"),
                three.size(1).unborn().unlisted().version("3.4.1"),
                a.unlisted().stuck(Obstacle.IMAGE)));
        cases.add(c(
                "also if it would be made otherwise",
                new Step.Discard("a"),
                three.size(1).unborn().unlisted(),
                a.unlisted().stuck(Obstacle.OTHER).changes()));
        cases.add(c(
                "but not if it was made of a snapshot",
                new Step.Clear("a"),
                three.size(1).unborn().unlisted(),
                a.fromSnapshot().stuck(Obstacle.OTHER).changes()));
        cases.add(c(
                "that another cluster answers is written down before the note of it goes",
                new Step.Born(),
                three.unrecorded(),
                m("s", 9).fromSnapshot().listed(9)));
        cases.add(c(
                "when it answers, the restore is over",
                new Step.EndRestore("s"),
                three,
                a.unlisted().ill().pod(Pod.ABSENT),
                m("s", 9).fromSnapshot().listed(9)));
        // upgrade
        cases.add(c(
                "followers are upgraded first",
                new Step.Upgrade("b", NEW),
                three,
                a.runs(OLD),
                b.runs(OLD),
                c.runs(OLD)));
        cases.add(c("one by one", new Step.Upgrade("c", NEW), three, a.runs(OLD), b, c.runs(OLD)));
        cases.add(c("the leader last", new Step.Upgrade("a", NEW), three, a.runs(OLD), b, c));
        cases.add(c("up one minor version", new Step.Upgrade("b", "3.5.1"), three.version("3.5.1"), a, b, c));
        cases.add(c("first the size, then the version", new Step.Add(NEW, true), three, a.runs(OLD), b.runs(OLD)));
        cases.add(c(
                "a newcomer of a cluster that cannot go back is as the others",
                new Step.Add(NEW, true),
                three.version(OLD),
                a,
                b));
        cases.add(c(
                "without volume, members are replaced instead",
                new Step.Remove("b", 2, Why.OUTDATED),
                three,
                a.runs(OLD).volume(Volume.NONE),
                b.runs(OLD).volume(Volume.NONE),
                c.volume(Volume.NONE)));
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("steps")
    void theNextStep(String behaviour, Step expected, Want want, M[] members) {
        assertThat(step(want, members)).as(behaviour).isEqualTo(expected);
    }
}
