package io.argosy.server.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;

/** What a Service says in vain, or in a way that will not be understood for ever. */
public final class ServiceWarnings {
    private static final String HINTS = "service.kubernetes.io/topology-aware-hints";

    private ServiceWarnings() {}

    public static void check(JsonNode service, Remarks remarks) {
        Spot spec = remarks.at(service, "").at("spec");
        if (service.path("metadata").path("annotations").has(HINTS)) {
            remarks.say(
                    "annotation " + HINTS + " is deprecated, please use service.kubernetes.io/topology-mode instead");
        }
        spec.each("clusterIPs").forEach(address -> AddressWarnings.address(address, remarks));
        boolean external = spec.text("type").equals("ExternalName");
        if (spec.text("type").equals("ClusterIP") && spec.text("clusterIP").equals("None")) {
            headless(spec, remarks);
        }
        spec.each("externalIPs").forEach(address -> AddressWarnings.address(address, remarks));
        AddressWarnings.address(spec.at("loadBalancerIP"), remarks);
        spec.each("loadBalancerSourceRanges").forEach(range -> AddressWarnings.range(range, remarks));
        if (external && !spec.at("externalIPs").value().isEmpty()) {
            remarks.say("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
        }
        if (!external && !spec.text("externalName").isEmpty()) {
            remarks.say("spec.externalName is ignored when spec.type is not \"ExternalName\"");
        }
        if (spec.text("trafficDistribution").equals("PreferClose")) {
            remarks.say("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
        }
    }

    private static void headless(Spot spec, Remarks remarks) {
        if (!spec.text("loadBalancerIP").isEmpty()) {
            remarks.say("spec.loadBalancerIP is ignored for headless services");
        }
        if (!spec.at("externalIPs").value().isEmpty()) {
            remarks.say("spec.externalIPs is ignored for headless services");
        }
        if (!spec.text("sessionAffinity").equals("None")) {
            remarks.say("spec.SessionAffinity is ignored for headless services");
        }
    }
}
