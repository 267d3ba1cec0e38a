package io.argosy.operators.plan;

import static io.argosy.operators.plan.Given.NEW;
import static io.argosy.operators.plan.Given.OLD;
import static io.argosy.operators.plan.Given.PATIENCE;
import static io.argosy.operators.plan.Given.m;
import static io.argosy.operators.plan.Given.situation;
import static io.argosy.operators.plan.Given.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.argosy.operators.plan.Given.M;
import io.argosy.operators.plan.Given.Want;
import io.argosy.operators.plan.Member.Obstacle;
import io.argosy.operators.plan.Member.Pod;
import io.argosy.operators.plan.Member.Volume;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.plan.Step.Why;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When nothing may be done, what is said then, and what is never done. */
class PlanSafetyTest {
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
                w(
                        "a list that names none of ours is nobody's",
                        Cause.STARTING,
                        "nothing is taken away",
                        three,
                        a.pod(Pod.ABSENT).volume(Volume.NONE),
                        b.unlisted().ill(),
                        c.unlisted().ill()),
                w("everything gone is never begun anew", Cause.ALL_LOST, "Create an EtcdRestore", three.unlisted()),
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
                        "from a snapshot",
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
                        "who has no image is not replaced by another without one",
                        Cause.STARTING,
                        "waiting for c",
                        three,
                        a,
                        b,
                        c.stuck(Obstacle.IMAGE)),
                w(
                        "an upgrade that does not come up is not gone on with",
                        Cause.STARTING,
                        "waiting for c",
                        three,
                        a.runs(OLD),
                        b.runs(OLD),
                        c.stuck(Obstacle.IMAGE)),
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
                member.started(),
                false,
                false,
                member.healthy(),
                member.since(),
                member.pod(),
                member.volume(),
                false,
                false,
                NEW,
                1,
                Obstacle.NONE,
                false);
        return id == 1 && member.healthy() ? renamed.leads() : renamed;
    }

    private static void harmless(Want want, M... members) {
        long healthy = Stream.of(members).filter(M::healthy).count();
        Step step = step(want, members);
        if (step instanceof Step.Remove(String name, long id, Why why)) {
            M removed = Stream.of(members)
                    .filter(member -> member.id() == id)
                    .findFirst()
                    .orElseThrow();
            assertThat(healthy).as("%s of %s", why, name).isGreaterThanOrEqualTo(2);
            assertThat(healthy - (removed.healthy() ? 1 : 0)).isGreaterThanOrEqualTo(Situation.majority(2));
            assertThat(removed.leader()).isFalse();
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
