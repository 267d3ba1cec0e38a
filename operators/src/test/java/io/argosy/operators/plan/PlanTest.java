package io.argosy.operators.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.plan.Step.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every branch of the decision, as a case: what is wanted, what there is, what to do. */
class PlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String OLD = "3.4.22";
    private static final String NEW = "3.4.23";

    /** A member that is well, as a start for those that are not. */
    private static M m(String name, long id) {
        return new M(name, id, true, false, false, true, null, Pod.PRESENT, Volume.PRESENT, false, NEW, 100);
    }

    /** A member whose single traits a case may change. */
    private record M(
            String name,
            Long id,
            boolean started,
            boolean learner,
            boolean leader,
            boolean healthy,
            Instant since,
            Pod pod,
            Volume volume,
            boolean forced,
            String version,
            long index) {
        M leads() {
            return new M(name, id, started, learner, true, healthy, since, pod, volume, forced, version, index);
        }

        M ill(Duration ago) {
            return new M(
                    name, id, started, learner, leader, false, NOW.minus(ago), pod, volume, forced, version, index);
        }

        M ill() {
            return ill(Duration.ofSeconds(10));
        }

        M unlisted() {
            return new M(name, null, started, learner, leader, healthy, since, pod, volume, forced, version, index);
        }

        M unstarted() {
            return new M(name, id, false, learner, leader, healthy, since, pod, volume, forced, version, index);
        }

        M pod(Pod state) {
            return new M(name, id, started, learner, leader, healthy, since, state, volume, forced, version, index);
        }

        M volume(Volume state) {
            return new M(name, id, started, learner, leader, healthy, since, pod, state, forced, version, index);
        }

        M force() {
            return new M(name, id, started, learner, leader, healthy, since, pod, volume, true, version, index);
        }

        M runs(String version) {
            return new M(name, id, started, learner, leader, healthy, since, pod, volume, forced, version, index);
        }

        M learns() {
            return new M(name, id, started, true, leader, healthy, since, pod, volume, forced, version, index);
        }

        M at(long index) {
            return new M(name, id, started, learner, leader, healthy, since, pod, volume, forced, version, index);
        }

        Member member() {
            return new Member(name, id, started, learner, leader, healthy, since, pod, volume, forced, version, index);
        }
    }

    /** What is wanted, beside the members: three of the new version, of a cluster that has lived. */
    private record Want(
            int size, String version, boolean paused, boolean restoring, String keep, boolean born, boolean listed) {
        static final Want THREE = new Want(3, NEW, false, false, null, true, true);

        Want size(int other) {
            return new Want(other, version, paused, restoring, keep, born, listed);
        }

        Want version(String other) {
            return new Want(size, other, paused, restoring, keep, born, listed);
        }

        Want unborn() {
            return new Want(size, version, paused, restoring, keep, false, listed);
        }

        Want unlisted() {
            return new Want(size, version, paused, restoring, keep, born, false);
        }

        Want keep(String member) {
            return new Want(size, version, paused, restoring, member, born, listed);
        }

        Want pausing() {
            return new Want(size, version, true, restoring, keep, born, listed);
        }

        Want beingRestored() {
            return new Want(size, version, paused, true, keep, born, listed);
        }
    }

    private static Situation situation(Want want, M... members) {
        return new Situation(
                want.size,
                want.version,
                want.paused,
                want.restoring,
                want.keep,
                want.born,
                want.listed,
                Stream.of(members).map(M::member).toList(),
                NOW,
                PATIENCE);
    }

    private static Step step(Want want, M... members) {
        return Plan.next(situation(want, members));
    }

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
                "with consent, the named survivor is made a cluster",
                new Step.Force("b"),
                three.unlisted().keep("b"),
                a.unlisted().ill(),
                b.unlisted().ill()));
        cases.add(c(
                "when it is one, it stops being made one",
                new Step.EndForce("b"),
                three,
                b.leads().force(),
                a.unlisted()));
        cases.add(c(
                "then the others' remains go",
                new Step.Discard("a"),
                three,
                b.leads(),
                a.unlisted().ill()));
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

    private static Arguments w(String behaviour, Cause cause, String said, Want want, M... members) {
        return arguments(behaviour, cause, said, want, members);
    }

    static Stream<Arguments> waits() {
        Want three = Want.THREE;
        M a = m("a", 1).leads();
        M b = m("b", 2);
        M c = m("c", 3);
        return Stream.of(
                w(
                        "paused: nothing, whatever is wrong",
                        Cause.PAUSED,
                        "spec.paused",
                        three.pausing(),
                        a,
                        b.ill(PATIENCE)),
                w("a restore is not disturbed", Cause.RESTORING, "restore", three.beingRestored()),
                w(
                        "the seed may take its time",
                        Cause.STARTING,
                        "waiting for a",
                        three.unborn().unlisted(),
                        a.unlisted().ill()),
                w(
                        "a newcomer too",
                        Cause.STARTING,
                        "waiting for b",
                        three,
                        a,
                        b.unstarted().ill()),
                w(
                        "the second of two counts before it is there",
                        Cause.STARTING,
                        "waiting for b",
                        three.unlisted(),
                        a.ill(),
                        b.unstarted().ill().at(0)),
                w(
                        "nothing else changes while one restarts",
                        Cause.STARTING,
                        "waiting for b",
                        three.version("3.5.0"),
                        a,
                        b.ill(),
                        c),
                w(
                        "a pod that leaves its volume is waited for",
                        Cause.STARTING,
                        "waiting for b",
                        three,
                        a,
                        b.ill().pod(Pod.LEAVING),
                        c),
                w("everything gone is never begun anew", Cause.ALL_LOST, "EtcdRestore", three.unlisted()),
                w(
                        "no majority: nothing is taken away",
                        Cause.QUORUM_LOST,
                        "Nothing is deleted",
                        three.unlisted(),
                        a.unlisted().ill(),
                        b.unlisted().ill(PATIENCE).volume(Volume.NONE),
                        c.unlisted().ill(PATIENCE).volume(Volume.LOST)),
                w(
                        "no majority: who would be kept, and why",
                        Cause.QUORUM_LOST,
                        "{member: b, acceptDataLoss: true} (it has the newest log",
                        three.unlisted(),
                        a.unlisted().ill().at(90),
                        b.unlisted().ill().at(95)),
                w(
                        "an election is no loss",
                        Cause.STARTING,
                        "waiting for a, b",
                        three.unlisted(),
                        a.ill(Duration.ofSeconds(9)),
                        b.ill(Duration.ofSeconds(9)),
                        c),
                w(
                        "nor is one of three a loss",
                        Cause.STARTING,
                        "waiting for a, b, c",
                        three.unlisted(),
                        a.ill(),
                        b.ill(Duration.ofSeconds(1)),
                        c.ill(Duration.ofSeconds(1))),
                w(
                        "no majority, and no volume to go on from",
                        Cause.QUORUM_LOST,
                        "EtcdRestore of this name",
                        three.unlisted(),
                        a.unlisted().ill().volume(Volume.NONE)),
                w(
                        "consent for one who has nothing left is none",
                        Cause.QUORUM_LOST,
                        "member: a",
                        three.unlisted().keep("z"),
                        a.unlisted().ill(),
                        b.unlisted().ill().at(0)),
                w(
                        "a survivor becoming a cluster is waited for",
                        Cause.STARTING,
                        "b becomes a cluster",
                        three.unlisted().keep("b"),
                        b.unlisted().ill().force()),
                w(
                        "also when the consent is used up",
                        Cause.STARTING,
                        "b becomes a cluster",
                        three.unlisted(),
                        b.unlisted().ill().force()),
                w(
                        "no way back",
                        Cause.UPGRADE_REFUSED,
                        "cannot go back from 3.4.23 to 3.4.22",
                        three.version(OLD),
                        a,
                        b,
                        c),
                w(
                        "not two minor versions at once",
                        Cause.UPGRADE_REFUSED,
                        "one minor version at a time",
                        three.version("3.6.0"),
                        a,
                        b,
                        c),
                w(
                        "not to another major",
                        Cause.UPGRADE_REFUSED,
                        "one minor version at a time",
                        three.version("4.0.0"),
                        a,
                        b,
                        c),
                w(
                        "no replacement of a single member without volume",
                        Cause.UPGRADE_REFUSED,
                        "no volume",
                        three.size(1),
                        a.runs(OLD).volume(Volume.NONE)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void whenItWaitsAndWhatItSays(String behaviour, Cause cause, String said, Want want, M[] members) {
        assertThat(step(want, members)).as(behaviour).isInstanceOfSatisfying(Step.Wait.class, wait -> {
            assertThat(wait.cause()).isEqualTo(cause);
            assertThat(wait.message()).contains(said);
        });
    }

    /** All states of three members, with and without a list: no removal without a majority, and never of the leader while another will do. */
    @Test
    void aMajorityIsNeverLostByItsOwnHand() {
        List<M> states = new ArrayList<>();
        for (Pod pod : Pod.values()) {
            for (Volume volume : Volume.values()) {
                for (boolean healthy : new boolean[] {true, false}) {
                    if (!healthy || pod == Pod.PRESENT) {
                        M base = m("x", 9).pod(pod).volume(volume);
                        states.add(healthy ? base : base.ill(Duration.ofDays(1)));
                    }
                }
            }
        }
        for (M first : states) {
            for (M second : states) {
                for (M third : states) {
                    for (int size = 1; size <= 4; size++) {
                        harmless(
                                Want.THREE.size(size),
                                rename(first, "a", 1),
                                rename(second, "b", 2),
                                rename(third, "c", 3));
                    }
                }
            }
        }
    }

    private static M rename(M member, String name, long id) {
        M renamed = new M(
                name,
                id,
                member.started,
                false,
                false,
                member.healthy,
                member.since,
                member.pod,
                member.volume,
                false,
                NEW,
                1);
        return id == 1 && member.healthy ? renamed.leads() : renamed;
    }

    private static void harmless(Want want, M... members) {
        long healthy = Stream.of(members).filter(M::healthy).count();
        Step step = step(want, members);
        if (step instanceof Step.Remove(String name, long id, Why why)) {
            M removed = Stream.of(members)
                    .filter(member -> member.id == id)
                    .findFirst()
                    .orElseThrow();
            assertThat(healthy).as("%s of %s", why, name).isGreaterThanOrEqualTo(2);
            assertThat(healthy - (removed.healthy ? 1 : 0)).isGreaterThanOrEqualTo(Situation.majority(2));
            assertThat(removed.leader).isFalse();
        }
        if (step instanceof Step.Add) {
            assertThat(healthy).isEqualTo(3);
        }
        Situation unlisted =
                situation(want.unlisted(), Stream.of(members).map(M::unlisted).toArray(M[]::new));
        assertThat(Plan.next(unlisted))
                .isNotInstanceOfAny(Step.Remove.class, Step.Discard.class, Step.Add.class, Step.Bootstrap.class);
    }

    @Test
    void versionsAreRead() {
        assertThat(EtcdVersion.parse("v3.4.23")).isEqualTo(new EtcdVersion(3, 4, 23));
        assertThat(EtcdVersion.parse("3.10.0")).isGreaterThan(EtcdVersion.parse("3.9.9"));
        assertThat(EtcdVersion.parse("3.2.13").isAtLeast(3, 3)).isFalse();
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> EtcdVersion.parse("latest")))
                .hasMessageContaining("latest");
    }
}
