package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.ClusterState;
import io.argosy.scheduler.state.PodInfo;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps a pod that claims devices waiting: no node here has drivers that offer any, so none of its claims can be allocated, and without
 * what it claims it must not run.
 */
public final class DynamicResources implements Filter {
    private static final Rejection REJECTION = Rejection.forGood("cannot allocate all claims");

    @Override
    public String name() {
        return "DynamicResources";
    }

    @Override
    public Check prepare(PodInfo pod, ClusterState cluster) {
        List<?> claims = pod.pod().getSpec().getResourceClaims();
        return claims == null || claims.isEmpty() ? null : node -> REJECTION;
    }

    @Override
    public Set<ClusterEvent.Kind> wakesOn() {
        return EnumSet.noneOf(ClusterEvent.Kind.class);
    }
}
