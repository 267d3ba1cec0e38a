package io.argosy.server.cel;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.Collection;
import java.util.Map;

/** Counts what an evaluation costs, step by step, and ends it when that is too much; for one evaluation. */
final class Meter implements CelEvaluationListener {
    private final long limit;
    private long spent;

    Meter(long limit) {
        this.limit = limit;
    }

    /** Ends an evaluation from within. */
    private static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException() {
            super("operation cancelled: actual cost limit exceeded", null, false, false);
        }
    }

    @Override
    public void callback(CelExpr step, Object result) {
        spent++;
        if (step.getKind() == CelExpr.ExprKind.Kind.CALL) {
            spent += size(result) / 10;
        }
        if (spent > limit) {
            throw new ExhaustedException();
        }
    }

    /** What a call made costs by its size; Kubernetes counts a tenth for each character. */
    private static long size(Object value) {
        return switch (value) {
            case String text -> text.length();
            case Collection<?> list -> list.size();
            case Map<?, ?> map -> map.size();
            case null, default -> 0;
        };
    }

    long spent() {
        return spent;
    }

    boolean exhausted() {
        return spent > limit;
    }
}
