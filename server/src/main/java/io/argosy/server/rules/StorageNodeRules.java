package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.quantity.Amount;
import io.argosy.server.podspec.Selectors;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Which storage drivers a node has, and how much they have left where. */
public final class StorageNodeRules {
    private static final int LONGEST_DRIVER = 63;
    private static final int LONGEST_NODE = 256;

    private StorageNodeRules() {}

    /** The name of a storage driver. */
    static void driver(Spot driver) {
        if (driver.needed()) {
            driver.notLongerThan(LONGEST_DRIVER);
            Names.subdomainError(driver.text().toLowerCase(Locale.ROOT)).ifPresent(driver::invalid);
        }
    }

    public static void node(Spot node) {
        Set<String> names = new HashSet<>();
        for (Spot driver : node.at("spec").each("drivers")) {
            driver(driver.at("name"));
            Spot id = driver.at("nodeID");
            id.needed();
            if (id.bytes() > LONGEST_NODE) {
                id.invalid("must be " + LONGEST_NODE + " characters or less");
            }
            driver.at("allocatable").at("count").notNegative();
            if (!names.add(driver.text("name"))) {
                driver.at("name").duplicate(driver.text("name"));
            }
            topology(driver);
        }
    }

    /** Complaints about a key are about its driver. */
    private static void topology(Spot driver) {
        Set<String> keys = new HashSet<>();
        for (Spot key : driver.each("topologyKeys")) {
            if (key.text().isEmpty()) {
                driver.required();
            }
            if (!keys.add(key.text())) {
                driver.duplicate(key.text());
            }
            Names.qualifiedNameError(key.text()).ifPresent(error -> driver.invalid(key.text(), error));
        }
    }

    /** A driver that stays is the same one, but for how many volumes the node takes. */
    public static void nodeChange(Spot node, JsonNode before) {
        Spot drivers = node.at("spec").at("drivers");
        for (JsonNode was : before.at("/spec/drivers")) {
            for (Spot driver : drivers.each()) {
                boolean same = driver.text("name").equals(was.path("name").asText());
                if (same && !withoutRoom(driver.value()).equals(withoutRoom(was))) {
                    drivers.invalid(withoutRoom(driver.value()), "field is immutable");
                }
            }
        }
    }

    private static JsonNode withoutRoom(JsonNode driver) {
        JsonNode copy = driver.deepCopy();
        if (copy instanceof ObjectNode object) {
            object.remove("allocatable");
        }
        return copy;
    }

    public static void capacity(Spot capacity) {
        if (capacity.has("nodeTopology")) {
            Selectors.check(capacity.at("nodeTopology"));
        }
        capacity.at("storageClassName").subdomain();
        Spot left = capacity.at("capacity");
        if (Amount.parse(left.text()).orElse(Amount.ZERO).compareTo(Amount.ZERO) < 0) {
            left.invalid("must be greater than or equal to 0");
        }
    }
}
