package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Of which address families a Service is: what it says, what it was, and what the cluster has decide it together. */
final class ServiceFamilies {
    static final String POLICY = "ipFamilyPolicy";
    static final String FAMILIES = "ipFamilies";
    static final String ADDRESSES = "clusterIPs";
    private static final String SINGLE = "SingleStack";
    private static final String PREFER = "PreferDualStack";
    private static final String REQUIRE = "RequireDualStack";
    private static final List<String> KNOWN = List.of("IPv4", "IPv6");

    private final ObjectNode spec;
    private final JsonNode was;
    private final List<String> configured;
    private final FieldErrors errors;

    private ServiceFamilies(ObjectNode spec, JsonNode was, List<String> configured, FieldErrors errors) {
        this.spec = spec;
        this.was = was;
        this.configured = configured;
        this.errors = errors;
    }

    static String of(String address) {
        return address.indexOf(':') >= 0 ? "IPv6" : "IPv4";
    }

    /** Fills in policy and families; complains where they do not fit. The former spec is missing when there was none. */
    static void settle(ObjectNode spec, JsonNode was, List<String> configured, FieldErrors errors) {
        if (!ServiceClaims.isExternal(spec)) {
            new ServiceFamilies(spec, was, configured, errors).settle();
        }
    }

    private void settle() {
        if (prefersAsBefore()) {
            return;
        }
        if (spec.path(POLICY).asText("").isEmpty()) {
            String former = was.path(POLICY).asText("");
            spec.put(POLICY, !former.isEmpty() ? former : isLoose() ? REQUIRE : SINGLE);
        }
        check(new Spot(spec, "spec", errors));
        if (!errors.isEmpty()) {
            return;
        }
        shrink();
        fit();
        infer();
        if (!errors.isEmpty()) {
            return;
        }
        if (isLoose()) {
            if (texts(spec, FAMILIES).isEmpty()) {
                spec.putArray(FAMILIES).add(configured.getFirst());
            }
            if (!policy().equals(SINGLE)) {
                addOther();
            }
            return;
        }
        demand();
        if (errors.isEmpty()) {
            if (texts(spec, FAMILIES).isEmpty()) {
                spec.putArray(FAMILIES).add(configured.getFirst());
            }
            if (!policy().equals(SINGLE) && configured.size() == 2) {
                addOther();
            }
        }
    }

    /** A Service that would take two families where there are two is not changed when the cluster is. */
    private boolean prefersAsBefore() {
        if (was.isMissingNode()
                || !was.path(POLICY).asText().equals(PREFER)
                || !(spec.path(POLICY).asText("").isEmpty() || policy().equals(PREFER))
                || !same(ADDRESSES)
                || !same(FAMILIES)) {
            return false;
        }
        spec.put(POLICY, PREFER);
        return !texts(spec, FAMILIES).isEmpty();
    }

    private boolean same(String field) {
        return texts(spec, field).equals(texts(was, field));
    }

    private String policy() {
        return spec.path(POLICY).asText("");
    }

    /** Without address and selector nothing depends on what the cluster has. */
    private boolean isLoose() {
        return spec.path("clusterIP").asText("").equals(ServiceClaims.NONE)
                && spec.path("selector").isEmpty();
    }

    private void shrink() {
        if (was.isMissingNode() || ServiceClaims.isExternal(was)) {
            return;
        }
        for (String field : List.of(ADDRESSES, FAMILIES)) {
            List<String> now = texts(spec, field);
            if (policy().equals(SINGLE)) {
                if (now.size() > 1 && same(field)) {
                    spec.putArray(field).add(now.getFirst());
                }
            } else if (!now.isEmpty() && now.size() < texts(was, field).size()) {
                errors.invalid(
                        "spec." + POLICY,
                        policy(),
                        "must be 'SingleStack' to release the secondary "
                                + (field.equals(ADDRESSES) ? "cluster IP" : "IP family"));
            }
        }
    }

    private void fit() {
        if (!policy().equals(SINGLE)) {
            return;
        }
        if (texts(spec, ADDRESSES).size() == 2) {
            errors.invalid(
                    "spec." + POLICY,
                    policy(),
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
        }
        if (texts(spec, FAMILIES).size() == 2) {
            errors.invalid(
                    "spec." + POLICY,
                    policy(),
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
        }
    }

    /** An address says of which family it is. */
    private void infer() {
        List<String> addresses = texts(spec, ADDRESSES);
        for (int i = 0; i < addresses.size(); i++) {
            if (addresses.get(i).equals(ServiceClaims.NONE)) {
                return;
            }
            String family = of(addresses.get(i));
            if (i < texts(spec, FAMILIES).size()) {
                continue;
            }
            if (!configured.contains(family)) {
                errors.invalid(
                        "spec." + ADDRESSES + "[" + i + "]",
                        spec.get(ADDRESSES),
                        family + " is not configured on this cluster");
            } else {
                ((ArrayNode) (spec.get(FAMILIES) instanceof ArrayNode found ? found : spec.putArray(FAMILIES)))
                        .add(family);
            }
        }
    }

    private void demand() {
        if (policy().equals(REQUIRE) && configured.size() < 2) {
            errors.invalid("spec." + POLICY, policy(), "this cluster is not configured for dual-stack services");
        }
        List<String> families = texts(spec, FAMILIES);
        for (int i = 0; i < families.size(); i++) {
            if (!configured.contains(families.get(i))) {
                errors.invalid("spec." + FAMILIES + "[" + i + "]", families.get(i), "not configured on this cluster");
            }
        }
    }

    private void addOther() {
        ArrayNode families = (ArrayNode) spec.get(FAMILIES);
        if (families.size() == 1) {
            families.add(families.get(0).asText().equals("IPv4") ? "IPv6" : "IPv4");
        }
    }

    /** What addresses, families and policy say must make sense, whatever the cluster has. */
    static void check(Spot spec) {
        List<String> addresses = texts(spec.value(), ADDRESSES);
        Spot all = spec.at(ADDRESSES);
        String first = spec.text("clusterIP");
        if (first.isEmpty() && !addresses.isEmpty()) {
            all.invalid("must be empty when `clusterIP` is not specified");
        } else if (!first.isEmpty() && addresses.isEmpty()) {
            all.required();
        } else if (!first.isEmpty() && !addresses.getFirst().equals(first)) {
            all.invalid("first value must match `clusterIP`");
        }
        Set<String> seen = new HashSet<>();
        for (Spot family : spec.each(FAMILIES)) {
            family.oneOf(KNOWN);
            if (!seen.add(family.text())) {
                family.duplicate(family.text());
            }
        }
        spec.at(POLICY).oneOf(List.of(PREFER, REQUIRE, SINGLE));
        if (!wellFormed(spec, addresses)) {
            return;
        }
        if (addresses.size() > 1 && of(addresses.getFirst()).equals(of(addresses.get(1)))) {
            all.invalid("may specify no more than one IP for each IP family");
        }
        List<String> families = texts(spec.value(), FAMILIES);
        for (int i = 0; i < Math.min(addresses.size(), families.size()); i++) {
            if (!addresses.get(i).equals(ServiceClaims.NONE)
                    && !of(addresses.get(i)).equals(families.get(i))) {
                all.each()
                        .get(i)
                        .invalid("expected an " + families.get(i) + " value as indicated by `ipFamilies[" + i + "]`");
            }
        }
    }

    private static boolean wellFormed(Spot spec, List<String> addresses) {
        boolean good = true;
        for (Spot address : spec.each(ADDRESSES)) {
            boolean none =
                    address.text().equals(ServiceClaims.NONE) && address.path().endsWith("[0]");
            if (none && addresses.size() > 1) {
                spec.at(ADDRESSES).invalid("'None' must be the first and only value");
                good = false;
            } else if (!none && !Spot.isAddress(address.text())) {
                address.address();
                good = false;
            }
        }
        if (addresses.size() > 2) {
            spec.at(ADDRESSES).invalid("may only hold up to 2 values");
        }
        return good;
    }

    static List<String> texts(JsonNode spec, String field) {
        List<String> texts = new ArrayList<>();
        spec.path(field).forEach(element -> texts.add(element.asText()));
        return texts;
    }
}
