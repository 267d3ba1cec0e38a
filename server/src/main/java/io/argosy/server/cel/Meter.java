package io.argosy.server.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what an evaluation costs, step by step, and ends it when that is too much; for one evaluation. A call is paid for when its last
 * argument is known, so that one that costs too much is not made.
 */
final class Meter implements CelEvaluationListener {
    private final long limit;
    private final Calls calls;
    private Object[] values = new Object[64];
    private double spent;

    Meter(Calls calls, long limit) {
        this.calls = calls;
        this.limit = limit;
    }

    /** The calls of an expression, by the step that is evaluated last before each is made; made once, for any number of evaluations. */
    static final class Calls {
        private static final Call[] NONE = {};

        private final Map<Long, List<Call>> found = new HashMap<>();
        private final Call[][] after;

        Calls(CelAbstractSyntaxTree tree) {
            read(tree.getExpr());
            long last = found.keySet().stream().mapToLong(id -> id).max().orElse(0);
            after = new Call[(int) last + 1][];
            Arrays.setAll(after, id -> found.getOrDefault((long) id, List.of()).toArray(Call[]::new));
        }

        private Call[] after(long id) {
            return id < after.length ? after[(int) id] : NONE;
        }

        private void read(CelExpr step) {
            switch (step.getKind()) {
                case CALL -> {
                    List<CelExpr> arguments = new ArrayList<>();
                    step.call().target().ifPresent(arguments::add);
                    arguments.addAll(step.call().args());
                    arguments.forEach(this::read);
                    if (!arguments.isEmpty()) {
                        long[] ids = arguments.stream().mapToLong(CelExpr::id).toArray();
                        found.computeIfAbsent(arguments.getLast().id(), id -> new ArrayList<>())
                                .add(new Call(step.call().function(), ids));
                    }
                }
                case SELECT -> read(step.select().operand());
                case LIST -> step.list().elements().forEach(this::read);
                case MAP ->
                    step.map().entries().forEach(entry -> {
                        read(entry.key());
                        read(entry.value());
                    });
                case STRUCT -> step.struct().entries().forEach(entry -> read(entry.value()));
                case COMPREHENSION -> {
                    CelExpr.CelComprehension loop = step.comprehension();
                    List.of(loop.iterRange(), loop.accuInit(), loop.loopCondition(), loop.loopStep(), loop.result())
                            .forEach(this::read);
                }
                default -> {}
            }
        }
    }

    /** A call, and the steps that its arguments come from. */
    @SuppressWarnings("ArrayRecordComponent") // nobody changes it
    private record Call(String function, long[] arguments) {}

    /** Ends an evaluation from within. */
    private static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException() {
            super("operation cancelled: actual cost limit exceeded", null, false, false);
        }
    }

    @Override
    public void callback(CelExpr step, Object result) {
        remember(step.id(), result);
        spent += switch (step.getKind()) {
            case IDENT -> CallCost.ONE;
            case CALL -> isWithoutArguments(step) ? CallCost.ONE : 0;
            case SELECT -> step.select().testOnly() ? 0 : CallCost.ONE;
            case LIST -> CallCost.MAKING_A_LIST;
            case MAP -> CallCost.MAKING_A_MAP;
            case STRUCT -> CallCost.MAKING_A_STRUCT;
            default -> 0;
        };
        for (Call next : calls.after(step.id())) {
            Object[] arguments = new Object[next.arguments().length];
            Arrays.setAll(arguments, i -> value(next.arguments()[i]));
            spent += CallCost.of(next.function(), Arrays.asList(arguments));
        }
        if (spent > limit) {
            throw new ExhaustedException();
        }
    }

    private static boolean isWithoutArguments(CelExpr call) {
        return call.call().args().isEmpty() && call.call().target().isEmpty();
    }

    private void remember(long id, Object value) {
        if (id >= values.length) {
            values = Arrays.copyOf(values, (int) Math.max(id + 1, values.length * 2L));
        }
        values[(int) id] = value;
    }

    private Object value(long id) {
        return id < values.length ? values[(int) id] : null;
    }

    long spent() {
        return (long) Math.min(spent, Long.MAX_VALUE);
    }

    boolean exhausted() {
        return spent > limit;
    }
}
