package io.argosy.client;

import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;

/** Whether tolerations bear taints: by key, value and effect. */
public final class Tolerations {
    private Tolerations() {}

    /** True if every one of the taints is tolerated. */
    public static boolean allow(List<Toleration> tolerations, List<Taint> taints) {
        for (Taint taint : taints) {
            if (!allow(tolerations, taint)) {
                return false;
            }
        }
        return true;
    }

    /** Whether one of the tolerations allows for the taint. */
    public static boolean allow(List<Toleration> tolerations, Taint taint) {
        for (Toleration toleration : tolerations) {
            if (allows(toleration, taint)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the toleration allows for the taint: same effect, same key, and what its operator asks of the value. */
    public static boolean allows(Toleration toleration, Taint taint) {
        String effect = toleration.getEffect();
        if (effect != null && !effect.isEmpty() && !effect.equals(taint.getEffect())) {
            return false;
        }
        String key = toleration.getKey();
        if (key != null && !key.isEmpty() && !key.equals(taint.getKey())) {
            return false;
        }
        String operator = toleration.getOperator();
        if ("Exists".equals(operator)) {
            return true;
        }
        return (operator == null || operator.isEmpty() || operator.equals("Equal"))
                && text(toleration.getValue()).equals(text(taint.getValue()));
    }

    private static String text(String value) {
        return value == null ? "" : value;
    }
}
