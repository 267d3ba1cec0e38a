package io.argosy.server.cel;

import dev.cel.common.values.CelByteString;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What calling a function costs, by how large its arguments are: Kubernetes' measure, in which reading ten characters costs one. */
final class CallCost {
    static final double READING = 0.1;
    static final double PER_LETTER_OF_PATTERN = 0.25;
    static final long ONE = 1;

    /** Asking who may do what is dear enough that an expression can do it twice. */
    static final long ACCESS_CHECK = 350_000;

    static final long MAKING_A_LIST = 10;
    static final long MAKING_A_MAP = 30;
    static final long MAKING_A_STRUCT = 40;

    private CallCost() {}

    /** The cost of a call that is about to be made; the receiver is the first argument. */
    static double of(String function, List<Object> arguments) {
        if (arguments.isEmpty()) {
            return ONE;
        }
        Object first = arguments.getFirst();
        return switch (function) {
            case "_&&_", "_||_", "_?_:_" -> 0;
            case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_" ->
                reading(Math.min(size(first), size(arguments.getLast())));
            case "_+_" ->
                first instanceof String || first instanceof CelByteString
                        ? reading(size(first) + size(arguments.getLast()))
                        : ONE;
            case "@in" -> arguments.getLast() instanceof Collection<?> list ? list.size() : ONE;
            case "matches", "find", "findAll" -> pattern(size(first), size(arguments.get(1)));
            case "validate" ->
                first instanceof KubernetesLibrary.NamedFormat format
                        ? pattern(size(arguments.get(1)), format.patternLength())
                        : ONE;
            case "contains" -> reading(size(first)) * reading(size(arguments.get(1)));
            case "startsWith", "endsWith", "format", "strings.quote" -> reading(size(first));
            case "bytes" -> first instanceof String ? reading(size(first)) : ONE;
            case "string" -> first instanceof CelByteString ? reading(size(first)) : ONE;
            case "url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey" -> reading(size(first));
            case "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver" -> reading(size(first));
            case "ip" -> first instanceof String ? reading(size(first)) : ONE;
            case "ip.isCanonical", "replace", "split" -> reading(2 * size(first));
            case "join" -> joined(arguments);
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf" -> whole(first);
            case "containsIP", "containsCIDR" -> addresses(function, first, arguments.get(1));
            case "check" -> ACCESS_CHECK;
            case "fieldSelector", "labelSelector" -> selector(size(arguments.get(1)));
            case "sets.contains", "sets.intersects" -> ONE + size(first) * size(arguments.get(1));
            case "sets.equivalent" -> ONE + 2 * size(first) * size(arguments.get(1));
            case "slice" -> list(1, Math.min(size(first), number(arguments.getLast()) - number(arguments.get(1))));
            case "lists.range" -> list(1, number(first));
            case "reverse" -> first instanceof String ? ONE : list(1, size(first));
            case "flatten" -> list(arguments.size() > 1 ? number(arguments.get(1)) : 1, size(first));
            case "distinct", "sort" -> comparing(first);
            case SortBy.FUNCTION -> comparing(arguments.getLast());
            default -> ONE;
        };
    }

    /** A list is made of so many elements, and that as often as told. */
    static double list(double times, double size) {
        return Math.floor(Math.max(0, times) * Math.max(0, size)) + ONE + MAKING_A_LIST;
    }

    /** Each element with each. */
    private static double comparing(Object list) {
        boolean text = list instanceof List<?> known
                && !known.isEmpty()
                && (known.getFirst() instanceof String || known.getFirst() instanceof CelByteString);
        return list(text ? 2 + READING : 2, size(list) * size(list));
    }

    private static double number(Object value) {
        return value instanceof Number number ? number.doubleValue() : 0;
    }

    static double reading(double size) {
        return Math.ceil(size * READING);
    }

    /** One more letter than there are, so that a large pattern on no text is not for nothing. */
    static double pattern(double text, double pattern) {
        return reading(text + 1) * Math.ceil(pattern * PER_LETTER_OF_PATTERN);
    }

    /** Every second letter of a selector may begin a requirement, which is a list in a struct. */
    static double selector(double length) {
        return MAKING_A_LIST + reading(length) + Math.ceil(Math.ceil(length / 2) * (MAKING_A_LIST + MAKING_A_STRUCT));
    }

    private static double addresses(String function, Object range, Object other) {
        double bytes = range instanceof Addresses.Range known ? known.address().length() : ONE;
        double comparing = reading(2 * bytes) + (function.equals("containsCIDR") ? reading(bytes) + 1 : 0);
        return comparing + (other instanceof String text ? reading(text.length()) : 0);
    }

    private static double joined(List<Object> arguments) {
        double length = 0;
        if (arguments.getFirst() instanceof Collection<?> parts) {
            double separator = arguments.size() > 1 ? size(arguments.get(1)) : 0;
            for (Object part : parts) {
                length += size(part) + separator;
            }
        }
        return reading(2 * length);
    }

    /** The cost of reading a value to its last leaf. */
    private static double whole(Object value) {
        return switch (value) {
            case String text -> Math.floor(text.length() * READING);
            case CelByteString bytes -> Math.floor(bytes.size() * READING);
            case Collection<?> list -> {
                double sum = 0;
                for (Object one : list) {
                    sum += whole(one);
                }
                yield sum;
            }
            case Map<?, ?> map -> {
                double sum = 0;
                for (Map.Entry<?, ?> one : map.entrySet()) {
                    sum += whole(one.getKey()) + whole(one.getValue());
                }
                yield sum;
            }
            case null, default -> ONE;
        };
    }

    /** Characters of a text, bytes, elements, keys; one for what has no size. */
    static double size(Object value) {
        return switch (value) {
            case String text -> text.length();
            case CelByteString bytes -> bytes.size();
            case Collection<?> list -> list.size();
            case Map<?, ?> map -> map.size();
            case Optional<?> optional -> optional.isPresent() ? size(optional.get()) : ONE;
            case null, default -> ONE;
        };
    }
}
