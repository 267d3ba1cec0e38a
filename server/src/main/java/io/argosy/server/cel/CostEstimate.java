package io.argosy.server.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.argosy.server.cel.CallEstimate.Argument;
import io.argosy.server.cel.CallEstimate.Element;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an expression can cost at worst, before anybody evaluates it: every step is taken, every loop goes round as often as its range can be long. */
public final class CostEstimate {
    private static final String ITEMS = "@items";
    private static final String VALUES = "@values";
    private static final String KEYS = "@keys";
    private static final String INDICES = "@indices";

    private final CelAbstractSyntaxTree tree;
    private final Sizes variables;
    private final Map<Long, List<String>> paths = new HashMap<>();
    private final Map<Long, Size> sizes = new HashMap<>();
    private final Map<Long, Entries> entries = new HashMap<>();
    private final Map<String, Deque<Local>> locals = new HashMap<>();

    /** How large the values are that variables lead to. */
    public interface Sizes {
        /**
         * The size of what stands there; null where that is not known.
         *
         * @param path a variable, then names of fields, {@code @items}, {@code @values} or {@code @keys}
         */
        Size at(List<String> path);
    }

    /** How large keys and values of a container are. */
    private record Entries(boolean list, Size key, Size value) {
        Entries or(Entries other) {
            return new Entries(list, key.or(other.key), value.or(other.value));
        }
    }

    /** What is known of a variable that a loop has; all but the path may be null. */
    private record Local(List<String> path, Size size, Entries entries) {}

    private CostEstimate(CelAbstractSyntaxTree tree, Sizes variables) {
        this.tree = tree;
        this.variables = variables;
    }

    /** The cost at worst. */
    public static double of(CelAbstractSyntaxTree tree, Sizes variables) {
        return new CostEstimate(tree, variables).cost(tree.getExpr());
    }

    private double cost(CelExpr step) {
        return switch (step.getKind()) {
            case IDENT -> {
                Local local = local(step.ident().name());
                paths.put(step.id(), local == null ? List.of(step.ident().name()) : local.path());
                yield CallCost.ONE;
            }
            case SELECT -> select(step);
            case CALL -> call(step);
            case LIST -> list(step);
            case MAP -> map(step);
            case STRUCT -> {
                double sum = CallCost.MAKING_A_STRUCT;
                for (CelExpr.CelStruct.Entry entry : step.struct().entries()) {
                    sum += cost(entry.value());
                }
                yield sum;
            }
            case COMPREHENSION -> loop(step);
            default -> 0;
        };
    }

    private double select(CelExpr step) {
        CelExpr operand = step.select().operand();
        double cost = cost(operand);
        if (step.select().testOnly()) {
            return cost;
        }
        paths.put(step.id(), below(path(operand), step.select().field()));
        return cost
                + switch (type(operand).kind()) {
                    case MAP, STRUCT, TYPE_PARAM -> CallCost.ONE;
                    default -> 0;
                };
    }

    private double call(CelExpr step) {
        String function = step.call().function();
        List<CelExpr> parts = new ArrayList<>();
        step.call().target().ifPresent(parts::add);
        parts.addAll(step.call().args());
        List<Double> costs = new ArrayList<>();
        List<Argument> arguments = new ArrayList<>();
        double sum = 0;
        for (CelExpr part : parts) {
            costs.add(cost(part));
            sum += costs.getLast();
            arguments.add(argument(part));
        }
        if (function.equals("dyn")) {
            known(step, size(parts.getFirst()), entries(parts.getFirst()));
            return CallCost.ONE + sum;
        }
        CallEstimate estimate = CallEstimate.of(function, arguments);
        known(step, estimate.size(), null);
        switch (function) {
            case "_?_:_" -> {
                known(step, estimate.size(), either(parts.get(1), parts.get(2)));
                return costs.get(0) + Math.max(costs.get(1), costs.get(2));
            }
            case "_+_" -> known(step, estimate.size(), either(parts.get(0), parts.get(1)));
            case "_[_]" -> {
                CelExpr container = parts.getFirst();
                Entries inside = entries(container);
                boolean isMap = type(container).kind() == CelKind.MAP;
                paths.put(step.id(), below(path(container), isMap ? VALUES : ITEMS));
                known(step, inside == null ? size(step) : inside.value(), null);
            }
            default -> {}
        }
        return sum + estimate.cost();
    }

    private Argument argument(CelExpr part) {
        Size size = size(part);
        CelConstant constant = part.getKind() == CelExpr.ExprKind.Kind.CONSTANT ? part.constant() : null;
        boolean number = constant != null && constant.getKind() == CelConstant.Kind.INT64_VALUE;
        return new Argument(
                type(part),
                size == null ? Size.UNKNOWN : size,
                element(part),
                number ? (Long) constant.int64Value() : null);
    }

    private Element element(CelExpr part) {
        CelType type = type(part);
        if (type.parameters().isEmpty()) {
            return null;
        }
        List<String> path = path(part);
        Size size = path.isEmpty() ? null : variables.at(below(path, ITEMS));
        return new Element(type.parameters().getFirst(), size == null ? Size.UNKNOWN : size);
    }

    private double list(CelExpr step) {
        double sum = CallCost.MAKING_A_LIST;
        Size items = null;
        for (CelExpr one : step.list().elements()) {
            sum += cost(one);
            items = either(items, one);
        }
        known(step, null, new Entries(true, Size.ONE, items == null ? Size.exactly(0) : items));
        return sum;
    }

    private double map(CelExpr step) {
        double sum = CallCost.MAKING_A_MAP;
        Size keys = null;
        Size values = null;
        for (CelExpr.CelMap.Entry one : step.map().entries()) {
            sum += cost(one.key()) + cost(one.value());
            keys = either(keys, one.key());
            values = either(values, one.value());
        }
        Size none = Size.exactly(0);
        known(step, null, new Entries(false, keys == null ? none : keys, values == null ? none : values));
        return sum;
    }

    private Size either(Size soFar, CelExpr one) {
        Size size = sizeOrUnknown(one);
        return soFar == null ? size : soFar.or(size);
    }

    private Entries either(CelExpr one, CelExpr other) {
        Entries first = entries(one);
        Entries second = entries(other);
        return first == null || second == null ? null : first.or(second);
    }

    private double loop(CelExpr step) {
        CelExpr.CelComprehension loop = step.comprehension();
        double sum = cost(loop.iterRange()) + cost(loop.accuInit());
        enter(loop.accuVar(), new Local(path(loop.accuInit()), size(loop.accuInit()), entries(loop.accuInit())));
        boolean two = !loop.iterVar2().isEmpty();
        enterRound(loop, two);
        double round = cost(loop.loopCondition()) + cost(loop.loopStep());
        leave(loop.iterVar());
        if (two) {
            leave(loop.iterVar2());
        }
        sum += cost(loop.result());
        leave(loop.accuVar());
        Size rounds = sizeOrUnknown(loop.iterRange());
        switch (loop.accuInit().getKind()) {
            case CONSTANT -> known(step, size(loop.accuInit()), null);
            case LIST, MAP -> known(step, rounds, entries(loop.loopStep()));
            default -> {}
        }
        return sum + rounds.most() * round;
    }

    /** What a round of the loop is about: the elements of a list or the keys of a map, or with two variables both indices or keys, and values. */
    private void enterRound(CelExpr.CelComprehension loop, boolean two) {
        CelExpr range = loop.iterRange();
        Entries inside = entries(range);
        boolean list = inside == null ? type(range).kind() == CelKind.LIST : inside.list();
        Size key = inside == null ? null : inside.key();
        Size value = inside == null ? null : inside.value();
        Local element = new Local(below(path(range), list ? ITEMS : VALUES), value, null);
        if (two) {
            enter(loop.iterVar(), new Local(below(path(range), list ? INDICES : KEYS), key, null));
            enter(loop.iterVar2(), element);
        } else {
            enter(loop.iterVar(), list ? element : new Local(below(path(range), KEYS), key, null));
        }
    }

    private void enter(String variable, Local local) {
        locals.computeIfAbsent(variable, name -> new ArrayDeque<>()).push(local);
    }

    private void leave(String variable) {
        locals.get(variable).pop();
    }

    private Local local(String variable) {
        Deque<Local> known = locals.get(variable);
        return known == null ? null : known.peek();
    }

    private static List<String> below(List<String> path, String step) {
        List<String> longer = new ArrayList<>(path);
        longer.add(step);
        return longer;
    }

    private void known(CelExpr step, Size size, Entries inside) {
        if (size != null) {
            sizes.put(step.id(), size);
        }
        if (inside != null) {
            entries.put(step.id(), inside);
        }
    }

    private List<String> path(CelExpr step) {
        Local local = step.getKind() == CelExpr.ExprKind.Kind.IDENT
                ? local(step.ident().name())
                : null;
        return local != null ? local.path() : paths.getOrDefault(step.id(), List.of());
    }

    private CelType type(CelExpr step) {
        return tree.getType(step.id()).orElse(SimpleType.DYN);
    }

    private Entries entries(CelExpr step) {
        Entries known = entries.get(step.id());
        if (known == null && step.getKind() == CelExpr.ExprKind.Kind.IDENT) {
            Local local = local(step.ident().name());
            return local == null ? null : local.entries();
        }
        return known;
    }

    private Size sizeOrUnknown(CelExpr step) {
        Size size = size(step);
        return size == null ? Size.UNKNOWN : size;
    }

    /** Null where nothing is known. */
    private Size size(CelExpr step) {
        Size known = sizes.get(step.id());
        if (known == null) {
            known = literal(step);
        }
        List<String> path = path(step);
        if (known == null && !path.isEmpty()) {
            known = variables.at(path);
            known(step, known, null);
        }
        if (known == null && isOfOneSize(type(step))) {
            known = Size.ONE;
        }
        if (known == null && step.getKind() == CelExpr.ExprKind.Kind.IDENT) {
            Local local = local(step.ident().name());
            known = local == null ? null : local.size();
        }
        return known;
    }

    private static Size literal(CelExpr step) {
        return switch (step.getKind()) {
            case CONSTANT ->
                switch (step.constant().getKind()) {
                    case STRING_VALUE -> {
                        String text = step.constant().stringValue();
                        yield Size.exactly(text.codePointCount(0, text.length()));
                    }
                    case BYTES_VALUE ->
                        Size.exactly(step.constant().bytesValue().size());
                    default -> Size.ONE;
                };
            case LIST -> Size.exactly(step.list().elements().size());
            case MAP -> Size.exactly(step.map().entries().size());
            default -> null;
        };
    }

    private static boolean isOfOneSize(CelType type) {
        return switch (type.kind()) {
            case BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT -> true;
            case OPAQUE ->
                type.name().equals("optional_type")
                        && isOfOneSize(type.parameters().getFirst());
            default -> false;
        };
    }
}
