package io.argosy.server.cel;

import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import java.util.List;

/**
 * What a call can cost at worst, beside its arguments, and how large its result can be.
 *
 * @param size null where nothing is known of it
 */
record CallEstimate(double cost, Size size) {
    private static final double LONGEST_FORMAT = 64;
    private static final double LONGEST_PATTERN_OF_A_FORMAT = 128;
    private static final Size ADDRESS = new Size(4, 16);

    /**
     * An argument as far as it is known.
     *
     * @param element the size of the elements of a list; null where it is none
     * @param number the number that stands there; null where it is worked out
     */
    record Argument(CelType type, Size size, Element element, Long number) {
        boolean is(CelKind... kinds) {
            return List.of(kinds).contains(type.kind());
        }

        /** Types that show only when the expression is evaluated may be any of these. */
        boolean maybe(CelKind... kinds) {
            return is(kinds) || is(CelKind.DYN, CelKind.ANY, CelKind.TYPE_PARAM);
        }
    }

    record Element(CelType type, Size size) {}

    private static CallEstimate costing(double cost) {
        return new CallEstimate(cost, null);
    }

    private static CallEstimate making(double cost, Size size) {
        return new CallEstimate(cost, size);
    }

    /** The receiver is the first argument. */
    static CallEstimate of(String function, List<Argument> arguments) {
        if (arguments.isEmpty()) {
            return costing(CallCost.ONE);
        }
        Argument first = arguments.getFirst();
        Argument last = arguments.getLast();
        Size size = first.size();
        return switch (function) {
            case "_==_" -> costing(equality(first, last));
            case "_!=_" -> costing(comparison(first, last));
            case "_<_", "_<=_", "_>_", "_>=_" ->
                costing(first.maybe(CelKind.STRING, CelKind.BYTES) ? comparison(first, last) : CallCost.ONE);
            case "_+_" -> sum(first, last);
            case "_?_:_" -> making(0, arguments.get(1).size().or(last.size()));
            case "_&&_", "_||_" -> costing(0);
            case "@in" ->
                costing(
                        last.maybe(CelKind.LIST) && !last.is(CelKind.MAP)
                                ? Math.max(CallCost.ONE, last.size().most())
                                : CallCost.ONE);
            case "bytes" ->
                first.is(CelKind.STRING)
                        ? making(size.reading(), new Size(size.least(), 4 * size.most()))
                        : costing(CallCost.ONE);
            case "string" ->
                first.is(CelKind.BYTES)
                        ? making(size.reading(), new Size(Math.floor(size.least() / 4), size.most()))
                        : costing(CallCost.ONE);
            case "strings.quote" -> making(size.reading(), new Size(size.least() + 2, 2 * size.most() + 2));
            case "startsWith", "endsWith" -> costing(last.size().reading());
            case "format" -> costing(size.reading());
            case "matches" -> costing(pattern(size, last.size()));
            case "find", "findAll" -> making(pattern(size, arguments.get(1).size()), Size.upTo(size.most()));
            case "contains" -> costing(size.reading() * last.size().reading());
            case "url", "jsonpatch.escapeKey", "lowerAscii", "upperAscii", "substring", "trim" ->
                making(size.reading(), size);
            case "replace" -> making(CallCost.reading(2 * size.most()), replaced(arguments));
            case "split" ->
                making(
                        CallCost.reading(2 * size.most()),
                        Size.upTo(arguments.size() > 2 && last.number() != null ? last.number() : size.most()));
            case "join" -> joined(arguments);
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> costing(whole(first));
            case "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver" -> costing(size.reading());
            case "ip" -> costing(first.is(CelKind.OPAQUE) ? CallCost.ONE : size.reading());
            case "ip.isCanonical" -> costing(CallCost.reading(2 * size.most()));
            case "containsIP" -> costing(ADDRESS.plus(ADDRESS).reading() + parsing(last));
            case "containsCIDR" ->
                costing(ADDRESS.plus(ADDRESS).reading() + ADDRESS.reading() + CallCost.ONE + parsing(last));
            case "validate" ->
                costing(Math.ceil(
                        last.size().reading() * LONGEST_PATTERN_OF_A_FORMAT * CallCost.PER_LETTER_OF_PATTERN));
            case "check" -> costing(CallCost.ACCESS_CHECK);
            case "fieldSelector", "labelSelector" ->
                costing(CallCost.selector(last.size().most()));
            case "sets.contains", "sets.intersects" ->
                costing(CallCost.ONE + size.times(last.size()).most());
            case "sets.equivalent" ->
                costing(CallCost.ONE + 2 * size.times(last.size()).most());
            case "slice" -> list(1, slice(arguments));
            case "lists.range" -> list(1, Size.exactly(numberOr(first, Size.ENDLESS)));
            case "reverse" -> first.is(CelKind.STRING) ? costing(CallCost.ONE) : list(1, size);
            case "flatten" -> list(arguments.size() > 1 ? numberOr(last, Size.ENDLESS) : 1, size);
            case "distinct" -> list(2, size.times(size));
            case "sort", SortBy.FUNCTION ->
                list(perComparison(last), last.size().times(last.size()));
            default -> costing(CallCost.ONE);
        };
    }

    private static CallEstimate list(double times, Size size) {
        return making(Math.ceil(times * size.most()) + CallCost.ONE + CallCost.MAKING_A_LIST, size);
    }

    private static double perComparison(Argument list) {
        boolean text = list.element() != null
                && (list.element().type().kind() == CelKind.STRING
                        || list.element().type().kind() == CelKind.BYTES);
        return text ? 2 + CallCost.READING : 2;
    }

    private static Size slice(List<Argument> arguments) {
        double end = numberOr(arguments.getLast(), arguments.getFirst().size().most());
        double length = end - numberOr(arguments.get(1), 0);
        return Size.exactly(length < 0 ? Size.ENDLESS : length);
    }

    /** Numbers below zero count as zero. */
    private static double numberOr(Argument argument, double unknown) {
        return argument.number() == null ? unknown : Math.max(0, argument.number());
    }

    private static double pattern(Size text, Size pattern) {
        return CallCost.pattern(text.most(), pattern.most());
    }

    private static double comparison(Argument one, Argument other) {
        return CallCost.reading(Math.min(one.size().most(), other.size().most()));
    }

    private static double equality(Argument one, Argument other) {
        if (!one.is(CelKind.OPAQUE) || !one.type().equals(other.type())) {
            return comparison(one, other);
        }
        return switch (one.type().name()) {
            case "kubernetes.NamedFormat" -> CallCost.reading(LONGEST_FORMAT);
            case "kubernetes.URL" -> other.size().reading();
            case "optional_type" -> comparison(one, other);
            default -> CallCost.ONE;
        };
    }

    private static CallEstimate sum(Argument one, Argument other) {
        Size size = one.size().plus(other.size());
        if (one.maybe(CelKind.STRING, CelKind.BYTES)) {
            return making(Math.max(CallCost.ONE, size.reading()), size);
        }
        return one.is(CelKind.LIST) ? making(CallCost.ONE, size) : costing(CallCost.ONE);
    }

    private static double parsing(Argument address) {
        return address.is(CelKind.STRING) ? address.size().reading() : 0;
    }

    /** Elements that are texts are read as well. */
    private static double whole(Argument values) {
        Element element = values.element();
        if (element == null) {
            return values.size().reading();
        }
        boolean text = element.type().kind() == CelKind.STRING || element.type().kind() == CelKind.BYTES;
        return values.size().most() * (CallCost.ONE + (text ? element.size().reading() : 0));
    }

    private static CallEstimate joined(List<Argument> arguments) {
        Argument parts = arguments.getFirst();
        Size size = parts.element() == null
                ? Size.exactly(0)
                : parts.size().times(parts.element().size());
        if (arguments.size() > 1) {
            Size separators = new Size(
                    Math.max(0, parts.size().least() - 1),
                    Math.max(0, parts.size().most() - 1));
            size = size.plus(arguments.get(1).size().times(separators));
        }
        return making(size.reading(), size);
    }

    /** As if the shortest of what may be replaced became the longest of what may stand for it, as often as possible; and the reverse. */
    private static Size replaced(List<Argument> arguments) {
        Size text = arguments.getFirst().size();
        Size old = arguments.get(1).size();
        Size now = arguments.get(2).size();
        double most;
        if (old.least() == 0) {
            most = (text.most() + 1) * now.most() + text.most();
        } else if (now.most() <= old.least()) {
            most = text.most();
        } else {
            most = Math.ceil(text.most() / old.least()) * now.most();
        }
        double least;
        if (old.most() == 0) {
            least = (text.least() + 1) * now.least() + text.least();
        } else if (old.most() <= now.least()) {
            least = text.least();
        } else {
            least = Math.ceil(text.least() / old.most()) * now.least();
        }
        return new Size(least, most);
    }
}
