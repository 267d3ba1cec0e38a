package io.argosy.controllers.autoscaler;

import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerCondition;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerConditionBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The conditions of an autoscaler while it is looked at; each keeps the time at which it last turned. */
final class Conditions {
    static final String ABLE = "AbleToScale";
    static final String ACTIVE = "ScalingActive";
    static final String LIMITED = "ScalingLimited";

    private final Map<String, HorizontalPodAutoscalerCondition> all = new LinkedHashMap<>();
    private final String now;

    Conditions(HorizontalPodAutoscalerStatus status, Instant now) {
        this.now = Timestamps.format(now);
        if (status != null) {
            status.getConditions().forEach(condition -> all.put(condition.getType(), condition));
        }
    }

    void set(String type, boolean value, String reason, String message) {
        HorizontalPodAutoscalerCondition before = all.get(type);
        String status = value ? "True" : "False";
        boolean turned = before == null || !before.getStatus().equals(status);
        all.put(
                type,
                new HorizontalPodAutoscalerConditionBuilder()
                        .withType(type)
                        .withStatus(status)
                        .withReason(reason)
                        .withMessage(message)
                        .withLastTransitionTime(turned ? now : before.getLastTransitionTime())
                        .build());
    }

    void set(String type, ScalingRules.Said said) {
        set(type, said.status(), said.reason(), said.message());
    }

    List<HorizontalPodAutoscalerCondition> list() {
        return new ArrayList<>(all.values());
    }
}
