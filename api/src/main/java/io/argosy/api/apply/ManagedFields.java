package io.argosy.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.apply.Manager.Operation;
import io.argosy.api.json.Json;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The owners of an object's fields, as {@code metadata.managedFields} has them. Belongs to one write; not for sharing. */
public final class ManagedFields {
    /** As many updaters as are kept apart; the oldest of more become one. */
    private static final int MAX_UPDATERS = 10;

    private static final String ANCIENT = "ancient-changes";

    private final Map<Manager, Owned> owners = new LinkedHashMap<>();

    /** What one manager owns, in which version, since when; the time may be missing. A set that was read is only taken apart when needed. */
    static final class Owned {
        private final String apiVersion;
        private final String time;
        private final JsonNode written;
        private FieldSet fields;

        Owned(String apiVersion, FieldSet fields, String time) {
            this(apiVersion, fields, time, null);
        }

        private Owned(String apiVersion, FieldSet fields, String time, JsonNode written) {
            this.apiVersion = apiVersion;
            this.fields = fields;
            this.time = time;
            this.written = written;
        }

        String apiVersion() {
            return apiVersion;
        }

        String time() {
            return time;
        }

        FieldSet fields() {
            if (fields == null) {
                fields = FieldSet.fromJson(written);
            }
            return fields;
        }

        /** Whether any of some paths is owned. */
        boolean hasAny(FieldSet paths) {
            return written == null ? !fields.intersection(paths).isEmpty() : paths.hasAnyIn(written);
        }

        JsonNode json() {
            return written == null ? fields.toJson() : written;
        }

        Owned with(FieldSet changed) {
            return new Owned(apiVersion, changed, time);
        }
    }

    /** Reads entries; nothing for a missing list. Throws {@link IllegalArgumentException} if they are not what the server writes. */
    public static ManagedFields decode(JsonNode entries) {
        return decode(entries, false);
    }

    /** Reads entries that the server wrote itself, so that what they say of fields needs no look before it matters. */
    static ManagedFields decodeOwn(JsonNode entries) {
        return decode(entries, true);
    }

    private static ManagedFields decode(JsonNode entries, boolean own) {
        ManagedFields managed = new ManagedFields();
        if (entries == null) {
            return managed;
        }
        for (JsonNode entry : entries) {
            managed.read(entry, own);
        }
        return managed;
    }

    private void read(JsonNode entry, boolean own) {
        Operation operation = switch (entry.path("operation").asText()) {
            case "Apply" -> Operation.Apply;
            case "Update" -> Operation.Update;
            default -> throw new IllegalArgumentException("operation must be `Apply` or `Update`");
        };
        String apiVersion = entry.path("apiVersion").asText();
        if (apiVersion.isEmpty()) {
            throw new IllegalArgumentException("apiVersion must not be empty");
        }
        if (!entry.path("fieldsType").asText().equals("FieldsV1")) {
            throw new IllegalArgumentException("fieldsType must be `FieldsV1`");
        }
        Manager manager = new Manager(
                entry.path("manager").asText(),
                operation,
                operation == Operation.Apply ? "" : apiVersion,
                entry.path("subresource").asText());
        String time = entry.hasNonNull("time") ? entry.get("time").asText() : null;
        JsonNode fields = entry.path("fieldsV1");
        owners.put(
                manager,
                own
                        ? new Owned(apiVersion, null, time, fields)
                        : new Owned(apiVersion, FieldSet.fromJson(fields), time));
    }

    /** True for what a client sends to have all ownership forgotten: an empty list, or one empty entry. */
    public static boolean isReset(JsonNode entries) {
        return entries instanceof ArrayNode list
                && (list.isEmpty() || (list.size() == 1 && list.get(0).isEmpty()));
    }

    ManagedFields copy() {
        ManagedFields copy = new ManagedFields();
        copy.owners.putAll(owners);
        return copy;
    }

    public boolean isEmpty() {
        return owners.isEmpty();
    }

    List<Manager> managers() {
        return List.copyOf(owners.keySet());
    }

    /** What a manager owns, or null. */
    Owned owned(Manager manager) {
        return owners.get(manager);
    }

    /** Owners of nothing vanish. */
    void put(Manager manager, Owned owned) {
        if (owned.fields().isEmpty()) {
            owners.remove(manager);
        } else {
            owners.put(manager, owned);
        }
    }

    void remove(Manager manager) {
        owners.remove(manager);
    }

    /** Makes the oldest updaters one, per version, until there are few enough. */
    void cap() {
        List<Manager> updaters = new ArrayList<>();
        owners.keySet().forEach(manager -> {
            if (!manager.applies()) {
                updaters.add(manager);
            }
        });
        int count = updaters.size();
        if (count <= MAX_UPDATERS) {
            return;
        }
        updaters.sort(Comparator.comparingLong((Manager manager) -> seconds(owners.get(manager)))
                .thenComparing(Comparator.naturalOrder()));
        Map<String, Manager> firstOfVersion = new LinkedHashMap<>();
        for (Manager updater : updaters) {
            if (count <= MAX_UPDATERS) {
                return;
            }
            Manager first = firstOfVersion.putIfAbsent(updater.apiVersion(), updater);
            if (first != null) {
                Manager bucket = Manager.updater(ANCIENT, updater.apiVersion(), "");
                if (!owners.containsKey(bucket)) {
                    owners.put(bucket, owners.remove(first));
                }
                Owned merged = owners.remove(updater);
                FieldSet all = merged.fields().union(owners.get(bucket).fields());
                owners.put(bucket, new Owned(merged.apiVersion(), all, merged.time()));
                count--;
            }
        }
    }

    private static long seconds(Owned owned) {
        if (owned.time() == null) {
            return 0;
        }
        try {
            return Instant.parse(owned.time()).getEpochSecond();
        } catch (DateTimeException notATime) {
            return 0; // entries are the clients' to edit; one without a readable time counts as old
        }
    }

    /** The entries in the order in which the server writes them: appliers first, then by time and name. */
    public ArrayNode encode() {
        List<Map.Entry<Manager, Owned>> sorted = new ArrayList<>(owners.entrySet());
        if (sorted.size() > 1) {
            sorted.sort(Comparator.comparing(
                            (Map.Entry<Manager, Owned> entry) -> entry.getKey().operation())
                    .thenComparingLong(entry -> seconds(entry.getValue()))
                    .thenComparing(entry -> entry.getKey().name())
                    .thenComparing(entry -> entry.getValue().apiVersion())
                    .thenComparing(entry -> entry.getKey().subresource()));
        }
        ArrayNode entries = Json.NODES.arrayNode(sorted.size());
        sorted.forEach(entry -> write(entry.getKey(), entry.getValue(), entries.addObject()));
        return entries;
    }

    private static void write(Manager manager, Owned owned, ObjectNode entry) {
        if (!manager.name().isEmpty()) {
            entry.put("manager", manager.name());
        }
        entry.put("operation", manager.operation().name()).put("apiVersion", owned.apiVersion());
        if (owned.time() != null) {
            entry.put("time", owned.time());
        }
        entry.put("fieldsType", "FieldsV1").set("fieldsV1", owned.json());
        if (!manager.subresource().isEmpty()) {
            entry.put("subresource", manager.subresource());
        }
    }

    /** True if two lists of entries differ in nothing but times. */
    public static boolean sameButForTimes(JsonNode one, JsonNode other) {
        if (one == null || other == null || one.size() != other.size()) {
            return one == other;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!withoutTime(one.get(i)).equals(withoutTime(other.get(i)))) {
                return false;
            }
        }
        return true;
    }

    private static JsonNode withoutTime(JsonNode entry) {
        ObjectNode copy = Json.object();
        copy.setAll((ObjectNode) entry);
        copy.remove("time");
        return copy;
    }
}
