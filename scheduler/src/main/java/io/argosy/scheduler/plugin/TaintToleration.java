package io.argosy.scheduler.plugin;

import io.argosy.scheduler.state.NodeInfo;
import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Keeps pods off nodes whose taints they do not tolerate, and prefers nodes without such that only ask to be avoided. */
public final class TaintToleration implements Filter, Score {
    private static final Rejection REJECTION = Rejection.forGood("node(s) had untolerated taint(s)");

    @Override
    public String name() {
        return "TaintToleration";
    }

    @Override
    public boolean concerns(PodInfo pod) {
        return true;
    }

    @Override
    public Rejection reject(PodInfo pod, NodeInfo node) {
        for (Taint taint : node.hardTaints()) {
            if (!tolerates(pod.tolerations(), taint)) {
                return REJECTION;
            }
        }
        return null;
    }

    @Override
    public Set<ClusterChange> wakesOn() {
        return EnumSet.of(ClusterChange.NODE_ADDED, ClusterChange.NODE_TAINTS);
    }

    @Override
    public int weight() {
        return 3;
    }

    @Override
    public long score(PodInfo pod, NodeInfo node) {
        long unwelcome = 0;
        for (Taint taint : node.softTaints()) {
            if (!tolerates(pod.tolerations(), taint)) {
                unwelcome++;
            }
        }
        return unwelcome;
    }

    @Override
    public void normalize(long[] scores, int count) {
        Score.stretch(scores, count, true);
    }

    static boolean tolerates(List<Toleration> tolerations, Taint taint) {
        for (Toleration toleration : tolerations) {
            if (tolerates(toleration, taint)) {
                return true;
            }
        }
        return false;
    }

    private static boolean tolerates(Toleration toleration, Taint taint) {
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
