package io.argosy.server.crd;

import io.argosy.server.cel.CostEstimate;
import io.argosy.server.cel.Size;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much there can be of a value of a schema in the largest request.
 *
 * @param most characters, elements or keys; 0 for what has no size
 * @param shortest the fewest characters of it in JSON
 * @param fields of an object, as rules write them
 * @param element of a list, or the values of a map; null where there are none
 */
record Extent(double most, double shortest, Map<String, Extent> fields, Extent element) implements CostEstimate.Sizes {
    /** The largest request there can be, in bytes. */
    static final double REQUEST = 3 * 1024 * 1024;

    private static final double LONGEST_TIME = 32;
    private static final double DATE = 12;
    private static final double SHORTEST_TIME = 21;
    private static final double SHORTEST_DURATION = 3;
    private static final int BYTES_OF_A_CHARACTER = 4;
    private static final Extent TEXT = leaf(REQUEST - 2, 2);

    private static Extent leaf(double most, double shortest) {
        return new Extent(most, shortest, Map.of(), null);
    }

    /**
     * The extent of a schema's values; null for those that rules cannot see.
     *
     * @param resource whether the value is a whole object, with name and kind
     */
    static Extent of(StructuralSchema schema, boolean resource) {
        if (schema.intOrString()) {
            Integer longest = schema.rules().maxLength();
            return leaf(longest == null ? REQUEST - 2 : longest * (double) BYTES_OF_A_CHARACTER, 1);
        }
        return switch (schema.type()) {
            case "array" -> list(schema);
            case "object" -> hasFreeKeys(schema) ? map(schema) : object(schema, resource);
            case "string" -> text(schema);
            case "boolean" -> leaf(0, 4);
            case "number", "integer" -> leaf(0, 1);
            default -> null;
        };
    }

    private static Extent list(StructuralSchema schema) {
        Extent element = schema.items() == null
                ? null
                : of(schema.items(), schema.items().embedded());
        if (element == null) {
            return null;
        }
        Integer most = schema.rules().maxItems();
        double fit = Math.floor((REQUEST - 2) / (element.shortest + 1));
        return new Extent(most == null ? fit : Math.max(0, most), 2, Map.of(), element);
    }

    private static boolean hasFreeKeys(StructuralSchema schema) {
        return schema.additional() != null && schema.additional() != StructuralSchema.anything();
    }

    private static Extent map(StructuralSchema schema) {
        Extent element = of(schema.additional(), schema.additional().embedded());
        if (element == null) {
            return null;
        }
        Integer most = schema.rules().maxProperties();
        double fit = Math.floor((REQUEST - 2) / (element.shortest + 6));
        return new Extent(most == null ? fit : Math.max(0, most), 2, Map.of(), element);
    }

    private static Extent object(StructuralSchema schema, boolean resource) {
        Map<String, Extent> fields = new HashMap<>();
        double shortest = 2;
        for (Map.Entry<String, StructuralSchema> property : schema.properties().entrySet()) {
            Extent field = of(property.getValue(), property.getValue().embedded());
            if (field == null) {
                continue;
            }
            SelfTypes.escape(property.getKey()).ifPresent(name -> fields.put(name, field));
            boolean filledIn = property.getValue().defaultValue() != null;
            if (schema.rules().required().contains(property.getKey()) && !filledIn) {
                shortest += property.getKey().length() + field.shortest + 4;
            }
        }
        if (resource) {
            fields.put("kind", TEXT);
            fields.put("apiVersion", TEXT);
            fields.put("metadata", new Extent(0, 2, Map.of("name", TEXT, "generateName", TEXT), null));
        }
        return new Extent(0, shortest, fields, null);
    }

    private static Extent text(StructuralSchema schema) {
        Integer longest = schema.rules().maxLength();
        return switch (schema.rules().format()) {
            case "byte" -> leaf(longest == null ? REQUEST - 2 : longest, 2);
            case "duration" -> leaf(LONGEST_TIME, SHORTEST_DURATION);
            case "date" -> leaf(DATE, DATE);
            case "date-time" -> leaf(LONGEST_TIME, SHORTEST_TIME);
            default -> {
                if (longest != null) {
                    yield leaf(longest * (double) BYTES_OF_A_CHARACTER, 2);
                }
                double allowed = schema.rules().allowed().stream()
                        .mapToInt(one -> one.isTextual() ? one.asText().length() : 0)
                        .max()
                        .orElse(-1);
                yield allowed < 0 ? TEXT : leaf(allowed, 2);
            }
        };
    }

    /** How often a value of this extent can stand in one request. */
    double timesInARequest() {
        return Math.floor(REQUEST / (shortest + 1));
    }

    @Override
    public Size at(List<String> path) {
        Extent found = this;
        for (String step : path.subList(1, path.size())) {
            found = switch (step) {
                case "@items", "@values" -> found.element;
                case "@keys" -> found.element == null ? null : leaf(0, 2);
                default -> found.fields.get(step);
            };
            if (found == null) {
                return null;
            }
        }
        return Size.upTo(found.most);
    }
}
