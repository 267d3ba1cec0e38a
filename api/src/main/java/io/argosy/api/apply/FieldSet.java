package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A set of paths into an object, such as the fields one writer owns. Kept as a tree whose branches are in order, so that two sets are
 * combined in one walk and the written form ({@code FieldsV1}) falls out of it. Immutable.
 */
public final class FieldSet {
    public static final FieldSet EMPTY = new FieldSet(List.of());

    private static final Comparator<Entry> ORDER = Comparator.comparing(Entry::element);

    private final List<Entry> entries;

    /** A step, whether the path that ends here is in the set, and what is below; one of the two at least. */
    private record Entry(PathElement element, boolean member, FieldSet below) {}

    private FieldSet(List<Entry> entries) {
        this.entries = entries;
    }

    /** Collects the entries of one level, each element once and in any order. */
    static final class Builder {
        private List<Entry> entries;
        private boolean sorted = true;

        void add(PathElement element, boolean member, FieldSet below) {
            if (!member && below.isEmpty()) {
                return;
            }
            if (entries == null) {
                entries = new ArrayList<>();
            } else if (sorted && entries.getLast().element().compareTo(element) > 0) {
                sorted = false;
            }
            entries.add(new Entry(element, member, below));
        }

        FieldSet build() {
            if (entries == null) {
                return EMPTY;
            }
            if (!sorted) {
                entries.sort(ORDER);
            }
            return new FieldSet(entries);
        }
    }

    /** The set of some paths of plain fields, written with dots. */
    public static FieldSet ofFields(String... paths) {
        FieldSet set = EMPTY;
        for (String path : paths) {
            String[] names = path.split("\\.", -1);
            FieldSet one = EMPTY;
            for (int i = names.length - 1; i >= 0; i--) {
                Builder level = new Builder();
                level.add(PathElement.field(names[i]), i == names.length - 1, one);
                one = level.build();
            }
            set = set.union(one);
        }
        return set;
    }

    /** Reads the written form; throws if it is not one. */
    public static FieldSet fromJson(JsonNode fieldsV1) {
        Builder level = new Builder();
        for (Map.Entry<String, JsonNode> entry : fieldsV1.properties()) {
            if (entry.getKey().equals(".")) {
                continue;
            }
            PathElement element = PathElement.parse(entry.getKey());
            if (element != null) {
                FieldSet below = fromJson(entry.getValue());
                level.add(element, below.isEmpty() || entry.getValue().has("."), below);
            }
        }
        return level.build();
    }

    /** The form in which entries of managedFields have it. */
    public ObjectNode toJson() {
        return write(Json.object());
    }

    private ObjectNode write(ObjectNode node) {
        for (Entry entry : entries) {
            ObjectNode below = node.putObject(entry.element().text());
            if (entry.member() && !entry.below().isEmpty()) {
                below.putObject(".");
            }
            entry.below().write(below);
        }
        return node;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Whether the path of that one step is in the set. */
    boolean has(PathElement element) {
        Entry found = find(element);
        return found != null && found.member();
    }

    /** Whether one of the paths is in a set in its written form, which need not be read for that. */
    boolean hasAnyIn(JsonNode written) {
        for (Entry entry : entries) {
            JsonNode below = written.get(entry.element().text());
            if (below != null
                    && ((entry.member() && (below.isEmpty() || below.has(".")))
                            || entry.below().hasAnyIn(below))) {
                return true;
            }
        }
        return false;
    }

    /** What the set holds under a step; empty where nothing. */
    FieldSet below(PathElement element) {
        Entry found = find(element);
        return found == null ? EMPTY : found.below();
    }

    private Entry find(PathElement element) {
        if (entries.isEmpty()) {
            return null;
        }
        int place = Collections.binarySearch(entries, new Entry(element, false, EMPTY), ORDER);
        return place < 0 ? null : entries.get(place);
    }

    public FieldSet union(FieldSet other) {
        if (isEmpty()) {
            return other;
        }
        if (other.isEmpty()) {
            return this;
        }
        return combine(other, true, true, (one, two) -> {
            if (one == null || two == null) {
                return one == null ? two : one;
            }
            return new Entry(
                    one.element(), one.member() || two.member(), one.below().union(two.below()));
        });
    }

    public FieldSet intersection(FieldSet other) {
        return combine(
                other,
                false,
                false,
                (one, two) -> new Entry(
                        one.element(), one.member() && two.member(), one.below().intersection(two.below())));
    }

    /** The paths that are not in the other set; a path stays although one above it goes. */
    public FieldSet difference(FieldSet other) {
        if (isEmpty() || other.isEmpty()) {
            return this;
        }
        return combine(other, true, false, (one, two) -> {
            if (two == null) {
                return one;
            }
            return new Entry(
                    one.element(), one.member() && !two.member(), one.below().difference(two.below()));
        });
    }

    /** The paths that are neither in the other set nor under one that is. */
    public FieldSet without(FieldSet other) {
        if (isEmpty() || other.isEmpty()) {
            return this;
        }
        return combine(other, true, false, (one, two) -> {
            if (two == null) {
                return one;
            }
            return two.member()
                    ? new Entry(one.element(), false, EMPTY)
                    : new Entry(one.element(), one.member(), one.below().without(two.below()));
        });
    }

    /** The paths that are in the other set or under one that is. */
    public FieldSet under(FieldSet other) {
        return combine(
                other,
                false,
                false,
                (one, two) -> two.member()
                        ? one
                        : new Entry(one.element(), false, one.below().under(two.below())));
    }

    /** The set with every field of a struct that has something below it a member itself, which is how removal names them. */
    FieldSet withStructFields(Shape shape) {
        Builder level = new Builder();
        for (Entry entry : entries) {
            Shape inner = shape.below(entry.element());
            level.add(
                    entry.element(),
                    entry.member() || shape.isStructField(entry.element()),
                    entry.below().withStructFields(inner));
        }
        return level.build();
    }

    private interface Combination {
        Entry of(Entry one, Entry two);
    }

    private FieldSet combine(FieldSet other, boolean onlyHere, boolean onlyThere, Combination combination) {
        Builder level = new Builder();
        int here = 0;
        int there = 0;
        while (here < entries.size() || there < other.entries.size()) {
            Entry one = here < entries.size() ? entries.get(here) : null;
            Entry two = there < other.entries.size() ? other.entries.get(there) : null;
            int order = one == null ? 1 : two == null ? -1 : one.element().compareTo(two.element());
            here += order <= 0 ? 1 : 0;
            there += order >= 0 ? 1 : 0;
            if (order == 0 || (order < 0 && onlyHere) || (order > 0 && onlyThere)) {
                Entry combined = combination.of(order <= 0 ? one : null, order >= 0 ? two : null);
                level.add(combined.element(), combined.member(), combined.below());
            }
        }
        return level.build();
    }

    /** Every path as messages name it, those that end on a level before those that go on. */
    public List<String> paths() {
        List<String> paths = new ArrayList<>();
        collect("", paths);
        return paths;
    }

    private void collect(String prefix, List<String> paths) {
        for (Entry entry : entries) {
            if (entry.member()) {
                paths.add(prefix + entry.element());
            }
        }
        for (Entry entry : entries) {
            entry.below().collect(prefix + entry.element(), paths);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSet set && entries.equals(set.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return toJson().toString();
    }
}
