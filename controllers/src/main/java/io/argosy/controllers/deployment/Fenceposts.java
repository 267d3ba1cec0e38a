package io.argosy.controllers.deployment;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateDeployment;

/** How far a rolling update may stray from the number of replicas asked for: so many above, so many missing. */
public record Fenceposts(int maxSurge, int maxUnavailable) {
    static Fenceposts of(Deployment deployment) {
        if (!isRolling(deployment)) {
            return new Fenceposts(0, 0);
        }
        RollingUpdateDeployment rolling = deployment.getSpec().getStrategy().getRollingUpdate();
        IntOrString surge = rolling == null ? null : rolling.getMaxSurge();
        IntOrString unavailable = rolling == null ? null : rolling.getMaxUnavailable();
        return resolve(surge, unavailable, replicas(deployment));
    }

    /** Surge rounds up and unavailability down; if both come to nothing, one may be missing, or nothing would ever move. */
    public static Fenceposts resolve(IntOrString maxSurge, IntOrString maxUnavailable, int desired) {
        int surge = scaled(maxSurge, desired, true);
        int unavailable = scaled(maxUnavailable, desired, false);
        if (surge == 0 && unavailable == 0) {
            unavailable = 1;
        }
        return new Fenceposts(surge, Math.min(unavailable, desired));
    }

    /** A number, or a percentage of the total. */
    public static int scaled(IntOrString value, int total, boolean roundUp) {
        if (value == null) {
            return 0;
        }
        if (value.getIntVal() != null) {
            return value.getIntVal();
        }
        String text = value.getStrVal();
        if (text == null || !text.matches("[0-9]{1,9}%")) {
            throw new IllegalArgumentException(
                    "invalid value for IntOrString: invalid type: string is not a percentage");
        }
        long percent = Long.parseLong(text.substring(0, text.length() - 1)) * total;
        return Math.toIntExact(roundUp ? Math.ceilDiv(percent, 100L) : Math.floorDiv(percent, 100L));
    }

    static boolean isRolling(Deployment deployment) {
        return deployment.getSpec().getStrategy() == null
                || !"Recreate".equals(deployment.getSpec().getStrategy().getType());
    }

    static int replicas(Deployment deployment) {
        Integer replicas = deployment.getSpec().getReplicas();
        return replicas == null ? 1 : replicas;
    }
}
