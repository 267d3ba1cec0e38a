package io.argosy.server.crd;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Estimates what a rule can cost at worst, from how large the schema lets values become. The measure is coarser than that of Kubernetes, and
 * meant to agree with it on what is far too much.
 */
final class RuleCost {
    private static final double LIMIT = 10_000_000;

    /** The largest request there can be, in bytes. */
    private static final double REQUEST = 3 * 1024 * 1024;

    private static final Set<String> READING_TEXT = Set.of(
            "matches",
            "find",
            "findAll",
            "contains",
            "startsWith",
            "endsWith",
            "indexOf",
            "lastIndexOf",
            "split",
            "replace",
            "lowerAscii",
            "upperAscii",
            "trim",
            "url",
            "isURL",
            "ip",
            "isIP",
            "cidr",
            "isCIDR",
            "quantity",
            "isQuantity");
    private static final Set<String> READING_LISTS = Set.of("isSorted", "sum", "min", "max", "@in", "join");

    private final Map<String, StructuralSchema> variables = new HashMap<>();

    private RuleCost() {}

    /** By how much the estimate is above the limit, in words; empty if it is not. */
    static Optional<String> excess(CelAbstractSyntaxTree rule, StructuralSchema self, double times) {
        RuleCost cost = new RuleCost();
        cost.variables.put("self", self);
        cost.variables.put("oldSelf", self);
        double factor = cost.of(rule.getExpr()) * times / LIMIT;
        if (factor <= 1) {
            return Optional.empty();
        }
        return Optional.of(factor > 100 ? "more than 100x" : String.format(Locale.ROOT, "%.1fx", factor));
    }

    private double of(CelExpr step) {
        return switch (step.getKind()) {
            case SELECT -> 1 + of(step.select().operand());
            case CALL -> call(step);
            case LIST -> {
                double sum = 1;
                for (CelExpr one : step.list().elements()) {
                    sum += of(one);
                }
                yield sum;
            }
            case MAP -> {
                double sum = 1;
                for (CelExpr.CelMap.Entry one : step.map().entries()) {
                    sum += of(one.key()) + of(one.value());
                }
                yield sum;
            }
            case COMPREHENSION -> loop(step);
            default -> 1;
        };
    }

    private double call(CelExpr step) {
        String function = step.call().function();
        double cost = 1;
        CelExpr first = step.call().target().orElse(null);
        if (first != null) {
            cost += of(first);
        }
        for (CelExpr one : step.call().args()) {
            cost += of(one);
        }
        if (READING_TEXT.contains(function)) {
            CelExpr subject = first != null ? first : step.call().args().getFirst();
            cost += size(subject) * 0.1;
        } else if (READING_LISTS.contains(function)) {
            CelExpr subject = first != null ? first : step.call().args().getLast();
            cost += size(subject);
        } else if (function.equals("_==_") || function.equals("_!=_")) {
            double least = REQUEST;
            for (CelExpr one : step.call().args()) {
                least = Math.min(least, size(one));
            }
            cost += least * 0.1;
        }
        return cost;
    }

    private double loop(CelExpr step) {
        CelExpr.CelComprehension loop = step.comprehension();
        StructuralSchema over = schema(loop.iterRange());
        StructuralSchema element = over == null ? null : over.type().equals("array") ? over.items() : null;
        StructuralSchema hidden =
                element == null ? variables.remove(loop.iterVar()) : variables.put(loop.iterVar(), element);
        double round = of(loop.loopCondition()) + of(loop.loopStep());
        if (hidden == null) {
            variables.remove(loop.iterVar());
        } else {
            variables.put(loop.iterVar(), hidden);
        }
        return of(loop.iterRange()) + of(loop.accuInit()) + size(loop.iterRange()) * round + of(loop.result());
    }

    /** The schema of what an expression leads to; null where that cannot be told. */
    private StructuralSchema schema(CelExpr step) {
        return switch (step.getKind()) {
            case IDENT -> variables.get(step.ident().name());
            case SELECT -> {
                StructuralSchema parent = schema(step.select().operand());
                yield parent == null ? null : field(parent, step.select().field());
            }
            case CALL -> {
                boolean indexed = step.call().function().equals("_[_]");
                StructuralSchema parent = indexed ? schema(step.call().args().getFirst()) : null;
                yield parent == null ? null : parent.items() != null ? parent.items() : parent.additional();
            }
            default -> null;
        };
    }

    private static StructuralSchema field(StructuralSchema parent, String escaped) {
        for (Map.Entry<String, StructuralSchema> property : parent.properties().entrySet()) {
            if (SelfTypes.escape(property.getKey()).orElse("").equals(escaped)) {
                return property.getValue();
            }
        }
        return parent.additional();
    }

    /** How large the value of an expression can be: characters of text, elements of a list, keys of a map. */
    private double size(CelExpr step) {
        if (step.getKind() == CelExpr.ExprKind.Kind.CONSTANT) {
            return 16;
        }
        if (step.getKind() == CelExpr.ExprKind.Kind.LIST) {
            return step.list().elements().size();
        }
        StructuralSchema schema = schema(step);
        return schema == null ? 100 : largest(schema);
    }

    static double largest(StructuralSchema schema) {
        return switch (schema.type()) {
            case "string" ->
                schema.rules().maxLength() != null
                        ? schema.rules().maxLength()
                        : !schema.rules().allowed().isEmpty() ? 64 : REQUEST;
            case "array" ->
                schema.rules().maxItems() != null ? schema.rules().maxItems() : REQUEST / least(schema.items());
            case "object" ->
                schema.additional() == null
                        ? 1
                        : schema.rules().maxProperties() != null
                                ? schema.rules().maxProperties()
                                : REQUEST / (4 + least(schema.additional()));
            default -> 1;
        };
    }

    /** The fewest bytes an element takes in JSON, with its comma. */
    private static double least(StructuralSchema schema) {
        if (schema == null) {
            return 2;
        }
        return switch (schema.type()) {
            case "string", "array" -> 3;
            case "object" -> {
                double size = 3;
                for (String field : schema.rules().required()) {
                    StructuralSchema below = schema.properties().get(field);
                    size += field.length() + 3 + (below == null ? 1 : least(below));
                }
                yield size;
            }
            case "boolean" -> 5;
            default -> 2;
        };
    }
}
