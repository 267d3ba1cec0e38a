package io.argosy.controllers.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.autoscaling.v2.HPAScalingRules;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HPAScalingRulesBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerSpec;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerSpecBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScalingRulesTest {
    private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");

    private final History history = new History();
    private Instant now = START;

    private static HorizontalPodAutoscalerSpecBuilder between(int min, int max) {
        return new HorizontalPodAutoscalerSpecBuilder().withMinReplicas(min).withMaxReplicas(max);
    }

    private ScalingRules.Verdict apply(HorizontalPodAutoscalerSpec spec, int current, int desired) {
        return new ScalingRules(spec, history, now).apply(current, desired);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 3, 3, false, DesiredWithinRange",
        "1, 9, 4, true, ScaleUpLimit",
        "3, 9, 6, true, ScaleUpLimit",
        "6, 99, 10, true, TooManyReplicas",
        "3, 0, 2, true, TooFewReplicas",
    })
    void withoutABehaviourTwiceAsManyAtOnceWithinTheBounds(
            int current, int desired, int expected, boolean limited, String reason) {
        ScalingRules.Verdict verdict = apply(between(2, 10).build(), current, desired);
        assertThat(verdict.replicas()).isEqualTo(expected);
        assertThat(verdict.scalingLimited().status()).isEqualTo(limited);
        assertThat(verdict.scalingLimited().reason()).isEqualTo(reason);
    }

    @Test
    void nothingShrinksBeforeUseWasLowForFiveMinutes() {
        HorizontalPodAutoscalerSpec spec = between(1, 10).build();
        assertThat(apply(spec, 8, 8).replicas()).isEqualTo(8);
        now = START.plusSeconds(299);
        ScalingRules.Verdict held = apply(spec, 8, 2);
        assertThat(held.replicas()).isEqualTo(8);
        assertThat(held.ableToScale().reason()).isEqualTo("ScaleDownStabilized");
        now = START.plusSeconds(300);
        ScalingRules.Verdict free = apply(spec, 8, 2);
        assertThat(free.replicas()).isEqualTo(2);
        assertThat(free.ableToScale().reason()).isEqualTo("ReadyForNewScale");
    }

    private static HPAScalingRules rules(Integer window, String select, Object... policies) {
        HPAScalingRulesBuilder rules = new HPAScalingRulesBuilder()
                .withStabilizationWindowSeconds(window)
                .withSelectPolicy(select);
        for (int i = 0; i < policies.length; i += 3) {
            rules.addNewPolicy((Integer) policies[i + 2], (String) policies[i], (Integer) policies[i + 1]);
        }
        return rules.build();
    }

    private static HorizontalPodAutoscalerSpec behaving(HPAScalingRules up, HPAScalingRules down) {
        return between(1, 100)
                .withNewBehavior()
                .withScaleUp(up)
                .withScaleDown(down)
                .endBehavior()
                .build();
    }

    @Test
    void aRateHoldsForItsPeriod() {
        HorizontalPodAutoscalerSpec spec =
                behaving(rules(0, "Max", "Pods", 4, 60, "Percent", 50, 60), rules(0, "Max", "Percent", 100, 15));
        assertThat(apply(spec, 4, 50).replicas()).isEqualTo(8);
        history.scaled(4, 8, now, Duration.ofMinutes(1));
        now = now.plusSeconds(30);
        ScalingRules.Verdict held = apply(spec, 8, 50);
        assertThat(held.replicas()).isEqualTo(8);
        assertThat(held.scalingLimited().reason()).isEqualTo("ScaleUpLimit");
        now = now.plusSeconds(30);
        assertThat(apply(spec, 8, 50).replicas()).isEqualTo(12);
        assertThat(apply(spec, 20, 50).replicas()).isEqualTo(30);
    }

    @Test
    void theSlowerPolicyOrNoneMayBeChosen() {
        HPAScalingRules up = rules(0, "Max", "Percent", 100, 15);
        assertThat(apply(behaving(up, rules(0, "Min", "Pods", 2, 60, "Percent", 10, 60)), 50, 10)
                        .replicas())
                .isEqualTo(48);
        assertThat(apply(behaving(up, rules(0, "Max", "Pods", 2, 60, "Percent", 10, 60)), 50, 10)
                        .replicas())
                .isEqualTo(45);
        ScalingRules.Verdict off = apply(behaving(up, rules(0, "Disabled", "Pods", 2, 60)), 50, 10);
        assertThat(off.replicas()).isEqualTo(50);
        assertThat(off.scalingLimited().reason()).isEqualTo("ScaleDownLimit");
    }

    @Test
    void growingMayHaveToWaitToo() {
        HorizontalPodAutoscalerSpec spec =
                behaving(rules(60, "Max", "Percent", 1000, 15), rules(0, "Max", "Percent", 100, 15));
        apply(spec, 3, 3);
        now = now.plusSeconds(59);
        ScalingRules.Verdict held = apply(spec, 3, 9);
        assertThat(held.replicas()).isEqualTo(3);
        assertThat(held.ableToScale().reason()).isEqualTo("ScaleUpStabilized");
        now = now.plusSeconds(1);
        assertThat(apply(spec, 3, 9).replicas()).isEqualTo(9);
    }
}
