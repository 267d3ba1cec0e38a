package io.argosy.server.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSource;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.compiler.CelCompiler;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.ArrayList;
import java.util.List;

/** Finds in a checked expression what stands there as it is and can never be right: patterns, times and durations that are none, lists of mixed types. */
final class Literals {
    private final CelAbstractSyntaxTree tree;
    private final CelCompiler compiler;
    private final CelRuntime runtime;
    private final List<CelIssue> issues = new ArrayList<>();

    private Literals(CelAbstractSyntaxTree tree, CelCompiler compiler, CelRuntime runtime) {
        this.tree = tree;
        this.compiler = compiler;
        this.runtime = runtime;
    }

    /**
     * What is wrong, as the compiler says such things; empty if nothing is.
     *
     * @param mixed whether values of several types may stand in one list or map
     */
    static String errors(CelAbstractSyntaxTree tree, CelCompiler compiler, CelRuntime runtime, boolean mixed) {
        Literals literals = new Literals(tree, compiler, runtime);
        literals.read(tree.getExpr(), mixed);
        return CelIssue.toDisplayString(literals.issues, tree.getSource());
    }

    private void read(CelExpr step, boolean free) {
        switch (step.getKind()) {
            case CALL -> {
                String function = step.call().function();
                call(step, function);
                boolean below = free || function.equals("format");
                step.call().target().ifPresent(target -> read(target, below));
                step.call().args().forEach(argument -> read(argument, below));
            }
            case SELECT -> read(step.select().operand(), free);
            case LIST -> list(step, free);
            case MAP -> map(step, free);
            case STRUCT -> step.struct().entries().forEach(entry -> read(entry.value(), free));
            case COMPREHENSION -> {
                CelExpr.CelComprehension loop = step.comprehension();
                List.of(loop.iterRange(), loop.accuInit(), loop.loopCondition(), loop.loopStep(), loop.result())
                        .forEach(part -> read(part, free));
            }
            default -> {
                // nothing that could be wrong
            }
        }
    }

    private void call(CelExpr step, String function) {
        CelExpr last = step.call().args().isEmpty() ? step : step.call().args().getLast();
        if (last.getKind() != CelExpr.ExprKind.Kind.CONSTANT
                || last.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
            return;
        }
        boolean wrong = switch (function) {
            case "matches" -> Patterns.error(last.constant().stringValue()).isPresent();
            case "duration", "timestamp" -> fails(step);
            default -> false;
        };
        if (wrong) {
            issue(last, "invalid " + function + " argument");
        }
    }

    private boolean fails(CelExpr call) {
        try {
            CelAbstractSyntaxTree alone = CelAbstractSyntaxTree.newParsedAst(
                    call, CelSource.newBuilder("").build());
            runtime.createProgram(compiler.check(alone).getAst()).eval();
            return false;
        } catch (CelValidationException | CelEvaluationException wrong) {
            return true;
        }
    }

    private void list(CelExpr step, boolean free) {
        List<CelExpr> elements = step.list().elements();
        CelType first = null;
        boolean told = free;
        for (int i = 0; i < elements.size(); i++) {
            CelType type = type(elements.get(i), step.list().optionalIndices().contains(i));
            first = first == null ? type : first;
            if (!told && differ(first, type)) {
                mismatch(elements.get(i), first, type);
                told = true;
            }
            read(elements.get(i), free);
        }
    }

    private void map(CelExpr step, boolean free) {
        CelType firstKey = null;
        CelType firstValue = null;
        for (CelExpr.CelMap.Entry entry : step.map().entries()) {
            CelType key = type(entry.key(), false);
            CelType value = type(entry.value(), entry.optionalEntry());
            firstKey = firstKey == null ? key : firstKey;
            firstValue = firstValue == null ? value : firstValue;
            if (!free && differ(firstKey, key)) {
                mismatch(entry.key(), firstKey, key);
            }
            if (!free && differ(firstValue, value)) {
                mismatch(entry.value(), firstValue, value);
            }
            read(entry.key(), free);
            read(entry.value(), free);
        }
    }

    private CelType type(CelExpr step, boolean optional) {
        CelType type = tree.getTypeOrThrow(step.id());
        return optional && !type.parameters().isEmpty() ? type.parameters().getFirst() : type;
    }

    /** Of types that show only later nothing is said. */
    private static boolean differ(CelType one, CelType other) {
        if (isOpen(one) || isOpen(other)) {
            return false;
        }
        if (one.kind() != other.kind()
                || one.parameters().size() != other.parameters().size()) {
            return true;
        }
        for (int i = 0; i < one.parameters().size(); i++) {
            if (differ(one.parameters().get(i), other.parameters().get(i))) {
                return true;
            }
        }
        return one.parameters().isEmpty() && !one.name().equals(other.name());
    }

    private static boolean isOpen(CelType type) {
        return List.of(CelKind.DYN, CelKind.ANY, CelKind.TYPE_PARAM, CelKind.ERROR)
                .contains(type.kind());
    }

    private void mismatch(CelExpr step, CelType expected, CelType found) {
        issue(step, "expected type '" + CelTypes.format(expected) + "' but found '" + CelTypes.format(found) + "'");
    }

    private void issue(CelExpr step, String message) {
        CelSourceLocation location = tree.getSource()
                .getOffsetLocation(tree.getSource().getPositionsMap().getOrDefault(step.id(), 0))
                .orElse(CelSourceLocation.NONE);
        issues.add(CelIssue.formatError(step.id(), location, message));
    }
}
