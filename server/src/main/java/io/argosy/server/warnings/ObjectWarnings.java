package io.argosy.server.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What is odd about objects of kinds of which there is only a thing or two to say. */
public final class ObjectWarnings {
    private static final List<String> QUOTA_RESOURCES = List.of("cpu", "memory", "storage", "ephemeral-storage");
    private static final Set<String> BARE_RESOURCES = Set.of("cpu", "memory");
    private static final String SLICE_MAKER = "endpointslice.kubernetes.io/managed-by";
    private static final Set<String> CAREFUL_SLICE_MAKERS =
            Set.of("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io");
    private static final String ENDPOINTS_MAKER = "endpoints.kubernetes.io/managed-by";
    private static final String SECRETS_ANNOTATION = "kubernetes.io/enforce-mountable-secrets";

    private ObjectWarnings() {}

    /** What our own controllers write is not looked at: their addresses are in order. */
    public static void endpoints(JsonNode endpoints, JsonNode before, Remarks remarks) {
        if (label(endpoints, ENDPOINTS_MAKER).equals("endpoint-controller")) {
            return;
        }
        for (Spot subset : remarks.at(endpoints, "").each("subsets")) {
            for (String list : List.of("addresses", "notReadyAddresses")) {
                subset.each(list).forEach(address -> AddressWarnings.address(address.at("ip"), remarks));
            }
        }
    }

    public static void endpointSlice(JsonNode slice, JsonNode before, Remarks remarks) {
        if (before == null && slice.path("addressType").asText().equals("FQDN")) {
            remarks.say("spec.addressType: FQDN endpoints are deprecated");
        }
        if (CAREFUL_SLICE_MAKERS.contains(label(slice, SLICE_MAKER))) {
            return;
        }
        for (Spot endpoint : remarks.at(slice, "").each("endpoints")) {
            endpoint.each("addresses").forEach(address -> AddressWarnings.address(address, remarks));
        }
    }

    private static String label(JsonNode object, String name) {
        return object.path("metadata").path("labels").path(name).asText("");
    }

    public static void networkPolicy(JsonNode policy, JsonNode before, Remarks remarks) {
        Spot spec = remarks.at(policy, "").at("spec");
        spec.each("ingress").forEach(rule -> blocks(rule.each("from"), remarks));
        spec.each("egress").forEach(rule -> blocks(rule.each("to"), remarks));
    }

    private static void blocks(List<Spot> peers, Remarks remarks) {
        for (Spot peer : peers) {
            Spot block = peer.at("ipBlock");
            AddressWarnings.range(block.at("cidr"), remarks);
            block.each("except").forEach(range -> AddressWarnings.range(range, remarks));
        }
    }

    /** Addresses that a balancer answers at; the place is called as upstream calls it. */
    public static void balancer(JsonNode object, Remarks remarks) {
        String path = "status.loadBalancer.ingress";
        for (Spot ingress : remarks.at(
                        object.path("status").path("loadBalancer").path("ingress"), path)
                .each()) {
            AddressWarnings.address(ingress.at("ip").called(ingress.path()), remarks);
        }
    }

    public static void podAddresses(JsonNode pod, JsonNode before, Remarks remarks) {
        Spot status = remarks.at(pod, "").at("status");
        for (String list : List.of("podIPs", "hostIPs")) {
            if (!status.at(list).value().equals(before.path("status").path(list))) {
                status.each(list).forEach(address -> AddressWarnings.address(address.at("ip"), remarks));
            }
        }
    }

    public static void quota(JsonNode quota, JsonNode before, Remarks remarks) {
        if (before != null) {
            return;
        }
        JsonNode hard = quota.path("spec").path("hard");
        for (String resource : QUOTA_RESOURCES) {
            String requests = "requests." + resource;
            if (!hard.has(requests) && BARE_RESOURCES.contains(resource)) {
                requests = resource;
            }
            String limits = "limits." + resource;
            if (!hard.has(requests) || !hard.has(limits)) {
                continue;
            }
            Amount asked = amount(hard.path(requests));
            Amount most = amount(hard.path(limits));
            if (asked.compareTo(most) > 0) {
                remarks.say("ResourceQuota " + requests + " (" + asked + ") should be less than " + limits + " (" + most
                        + ")");
            }
        }
    }

    private static Amount amount(JsonNode amount) {
        return Amount.parse(amount.asText()).orElse(Amount.ZERO);
    }

    /** Said when the annotation comes, not while it stays. */
    public static void serviceAccount(JsonNode account, JsonNode before, Remarks remarks) {
        boolean had =
                before != null && before.path("metadata").path("annotations").has(SECRETS_ANNOTATION);
        if (!had && account.path("metadata").path("annotations").has(SECRETS_ANNOTATION)) {
            remarks.say("metadata.annotations[" + SECRETS_ANNOTATION
                    + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets");
        }
    }

    public static void driver(JsonNode driver, JsonNode before, Remarks remarks) {
        JsonNode tokens = driver.path("spec").path("tokenRequests");
        boolean changed = before == null || !tokens.equals(before.path("spec").path("tokenRequests"));
        if (changed && !tokens.isEmpty() && !driver.path("spec").hasNonNull("serviceAccountTokenInSecrets")) {
            remarks.say("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to"
                    + " prevent possible logging of tokens in volume attributes");
        }
    }

    public static void capacity(JsonNode capacity, JsonNode before, Remarks remarks) {
        Spot topology = remarks.at(capacity, "").at("nodeTopology");
        topology.each("matchExpressions").forEach(expression -> NodeLabels.key(expression.at("key"), remarks));
        Spot labels = topology.at("matchLabels");
        labels.value().fieldNames().forEachRemaining(label -> NodeLabels.named(label, labels.at(label), remarks));
    }

    public static void runtimeClass(JsonNode runtimeClass, Remarks remarks) {
        Spot selector = remarks.at(runtimeClass, "").at("scheduling").at("nodeSelector");
        selector.value().fieldNames().forEachRemaining(label -> NodeLabels.named(label, selector, remarks));
    }

    public static void deviceSlice(JsonNode slice, JsonNode before, Remarks remarks) {
        String driver = slice.path("spec").path("driver").asText("");
        if (!driver.equals(driver.toLowerCase(Locale.ROOT))) {
            remarks.say(
                    "spec.driver: driver names should be lowercase; \"" + driver + "\" contains uppercase characters");
        }
    }
}
