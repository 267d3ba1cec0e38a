package io.argosy.operators.plan;

import static io.argosy.operators.plan.Given.m;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.plan.Given.M;
import io.argosy.operators.plan.Given.Want;
import io.argosy.operators.plan.Member.Volume;
import io.argosy.operators.plan.Situation.Trust;
import io.argosy.operators.plan.Step.Cause;
import io.argosy.operators.plan.Step.Why;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Members that have to be started anew, because they trust others than they should. */
class PlanTrustTest {
    private static Step step(Want want, Trust trust, M... members) {
        return Plan.next(Given.situation(want, trust, members));
    }

    private static Trust stale(String... members) {
        return new Trust(Set.of(members), false, null);
    }

    @Test
    void theyAreStartedAnewOneByOneTheLeaderLast() {
        assertThat(step(Want.THREE, stale("a", "b", "c"), m("a", 1).leads(), m("b", 2), m("c", 3)))
                .isEqualTo(new Step.Renew("b"));
        assertThat(step(Want.THREE, stale("a", "c"), m("a", 1).leads(), m("b", 2), m("c", 3)))
                .isEqualTo(new Step.Renew("c"));
        assertThat(step(Want.THREE, stale("a"), m("a", 1).leads(), m("b", 2), m("c", 3)))
                .isEqualTo(new Step.Renew("a"));
        assertThat(step(Want.THREE, stale(), m("a", 1).leads(), m("b", 2), m("c", 3)))
                .isEqualTo(new Step.Steady());
    }

    @Test
    void theNextWaitsUntilAllAnswer() {
        assertThat(step(
                        Want.THREE,
                        stale("a", "c"),
                        m("a", 1).leads(),
                        m("b", 2).ill(),
                        m("c", 3)))
                .isEqualTo(new Step.Wait(Cause.STARTING, "waiting for b to answer"));
        assertThat(step(
                        Want.THREE.unlisted(),
                        stale("a", "c"),
                        m("a", 1),
                        m("b", 2).ill(),
                        m("c", 3).ill()))
                .isInstanceOf(Step.Wait.class);
    }

    @Test
    void whoHasNoVolumeIsReplacedIfTwoOthersStay() {
        M a = m("a", 1).leads().volume(Volume.NONE);
        M b = m("b", 2).volume(Volume.NONE);
        M c = m("c", 3).volume(Volume.NONE);
        assertThat(step(Want.THREE, stale("a", "b"), a, b, c)).isEqualTo(new Step.Remove("b", 2, Why.STALE));
        assertThat(step(Want.THREE.size(1), stale("a"), a))
                .isInstanceOfSatisfying(
                        Step.Wait.class, wait -> assertThat(wait.cause()).isEqualTo(Cause.RENEWAL_REFUSED));
    }

    @Test
    void thoseWhomNobodyTrustsAreNotWaitedFor() {
        Trust cutOff = new Trust(Set.of("b", "c"), true, null);
        assertThat(step(
                        Want.THREE.unlisted(),
                        cutOff,
                        m("a", 1).ill(),
                        m("b", 2).ill(),
                        m("c", 3).ill()))
                .isEqualTo(new Step.Renew("b"));
        assertThat(step(
                        Want.THREE.unlisted(),
                        cutOff,
                        m("a", 1).ill(),
                        m("b", 2).ill().volume(Volume.NONE),
                        m("c", 3).ill().volume(Volume.NONE)))
                .as("its pod is all there is of it")
                .isInstanceOf(Step.Wait.class);
    }

    @Test
    void whoSeesNobodyDecidesNothing() {
        Trust blind = new Trust(Set.of(), false, "the certificate has lapsed");
        M gone = m("b", 2).ill(Given.PATIENCE.multipliedBy(2)).volume(Volume.LOST);
        assertThat(step(
                        Want.THREE.unlisted(),
                        blind,
                        m("a", 1).ill(Given.PATIENCE),
                        gone,
                        m("c", 3).ill()))
                .isEqualTo(new Step.Wait(Cause.BLIND, "the certificate has lapsed"));
        assertThat(step(Want.THREE.unborn().unlisted(), blind)).isEqualTo(new Step.Bootstrap());
    }
}
