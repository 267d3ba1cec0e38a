package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.podspec.Placement;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Which devices a driver has where. */
public final class DeviceSliceRules {
    static final List<String> EFFECTS = List.of("NoExecute", "NoSchedule", "None");
    private static final int MOST_DEVICES = 128;
    private static final int MOST_SPECIAL_DEVICES = 64;
    private static final int MOST_TAINTS = 16;
    private static final int MOST_FACTS = 32;
    private static final int LONGEST_VALUE = 64;
    private static final List<String> VALUES = List.of("bool", "int", "string", "version");
    private static final List<String> PLACES =
            List.of("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection");
    private static final String ONE_PLACE =
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    private static final Pattern VERSION = Pattern.compile("(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)"
            + "(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
            + "(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?");

    private DeviceSliceRules() {}

    public static void check(Spot slice) {
        Spot spec = slice.at("spec");
        StorageNodeRules.driver(spec.at("driver"));
        Spot pool = spec.at("pool");
        DeviceNames.pool(pool.at("name"));
        if (pool.at("resourceSliceCount").number() <= 0) {
            pool.at("resourceSliceCount").invalid(pool.at("resourceSliceCount").number(), "must be greater than zero");
        }
        if (pool.at("generation").number() < 0) {
            pool.at("generation").invalid("must be greater than or equal to zero");
        }
        place(spec);
        boolean special = spec.each("devices").stream()
                .anyMatch(device -> !device.at("taints").value().isEmpty()
                        || !device.at("consumesCounters").value().isEmpty());
        List<Spot> devices = DeviceNames.limited(spec.at("devices"), special ? MOST_SPECIAL_DEVICES : MOST_DEVICES);
        devices.forEach(device -> device(device, spec.isTrue("perDeviceNodeSelection")));
        DeviceNames.unique(devices, device -> device.text("name"));
    }

    public static void change(Spot slice, JsonNode before) {
        Spot spec = slice.at("spec");
        fixed(spec.at("pool").at("name"), before.at("/spec/pool/name"));
        fixed(spec.at("driver"), before.at("/spec/driver"));
        fixed(spec.at("nodeName"), before.at("/spec/nodeName"));
    }

    private static void fixed(Spot now, JsonNode before) {
        if (!now.value().equals(before)) {
            now.invalid("field is immutable");
        }
    }

    private static void place(Spot spec) {
        List<String> given = new ArrayList<>();
        for (String place : PLACES) {
            Spot field = spec.at(place);
            if (!field.isGiven()) {
                continue;
            }
            if (place.equals("nodeName") && field.text().isEmpty()) {
                field.invalid("must be either unset or set to a non-empty string");
            } else if (field.value().isBoolean() && !field.value().asBoolean()) {
                field.invalid("must be either unset or set to true");
            } else {
                given.add("`" + place + "`");
            }
        }
        if (!spec.text("nodeName").isEmpty()) {
            spec.at("nodeName").subdomain();
        }
        if (spec.has("nodeSelector")) {
            Placement.nodeSelector(spec.at("nodeSelector"));
            Spot terms = spec.at("nodeSelector").at("nodeSelectorTerms");
            if (terms.value().size() != 1) {
                terms.invalid("must have exactly one node selector term");
            }
        }
        if (given.isEmpty()) {
            spec.required(ONE_PLACE);
        } else if (given.size() > 1) {
            spec.invalid("{" + String.join(", ", given) + "}", ONE_PLACE + ", but multiple fields are set");
        }
    }

    private static void device(Spot device, boolean placed) {
        device.at("name").label();
        Spot attributes = device.at("attributes");
        Spot capacity = device.at("capacity");
        int facts = attributes.value().size() + capacity.value().size();
        if (facts > MOST_FACTS) {
            device.invalid(facts, "the total number of attributes and capacities must not exceed " + MOST_FACTS);
        }
        attributes.value().fieldNames().forEachRemaining(name -> {
            DeviceNames.qualified(attributes.key(name), name);
            attribute(attributes.key(name));
        });
        capacity.value().fieldNames().forEachRemaining(name -> DeviceNames.qualified(capacity.key(name), name));
        for (Spot taint : DeviceNames.limited(device.at("taints"), MOST_TAINTS)) {
            taint.at("key").qualifiedName();
            taint.at("value").labelValue();
            taint.at("effect").neededOneOf(EFFECTS);
        }
        if (!placed && List.of("nodeName", "nodeSelector", "allNodes").stream().anyMatch(device::has)) {
            device.invalid(
                    (Object) null,
                    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to"
                            + " true in the ResourceSlice spec");
        }
    }

    private static void attribute(Spot attribute) {
        for (String value : List.of("string", "version")) {
            attribute.at(value).notLongerThan(LONGEST_VALUE);
        }
        Spot version = attribute.at("version");
        boolean readable = version.text().length() <= LONGEST_VALUE; // what is longer is refused unread
        if (version.isGiven() && readable && !VERSION.matcher(version.text()).matches()) {
            version.invalid("must be a string compatible with semver.org spec 2.0.0");
        }
        long given = VALUES.stream().filter(attribute::has).count();
        if (given != 1) {
            attribute.invalid(given == 0 ? "" : attribute.value(), "exactly one value must be specified");
        }
    }
}
