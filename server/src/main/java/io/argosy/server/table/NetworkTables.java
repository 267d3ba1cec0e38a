package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Tables of how traffic comes in, who may talk to whom, and which addresses are given out. */
final class NetworkTables {
    private static final int HOSTS_SHOWN = 3;

    private NetworkTables() {}

    static TableDefinition ingresses() {
        return TableBuilder.named()
                .text(
                        "Class",
                        "Which class of ingresses it is of.",
                        row -> row.textOr(Row.NONE, "spec", "ingressClassName"))
                .text("Hosts", "The hosts it has rules for.", NetworkTables::hosts)
                .text("Address", "Where the load balancer for it is.", ServiceTables::loadBalancers)
                .text("Ports", "The ports that are open.", row -> row.count("spec", "tls") > 0 ? "80, 443" : "80")
                .age()
                .build();
    }

    private static String hosts(Row ingress) {
        List<String> hosts = new ArrayList<>();
        JsonNode rules = ingress.at("spec", "rules");
        boolean more = false;
        for (JsonNode rule : rules) {
            more |= hosts.size() == HOSTS_SHOWN;
            String host = rule.path("host").asText("");
            if (!more && !host.isEmpty()) {
                hosts.add(host);
            }
        }
        if (hosts.isEmpty()) {
            return "*";
        }
        return String.join(",", hosts) + (more ? " + " + (rules.size() - HOSTS_SHOWN) + " more..." : "");
    }

    static TableDefinition ingressClasses() {
        return TableBuilder.named()
                .text("Controller", "Who takes care of ingresses of the class.", row -> row.text("spec", "controller"))
                .text("Parameters", "An object with further settings.", NetworkTables::parameters)
                .age()
                .build();
    }

    private static String parameters(Row ingressClass) {
        JsonNode parameters = ingressClass.at("spec", "parameters");
        if (!parameters.isObject()) {
            return Row.NONE;
        }
        String group =
                parameters.has("apiGroup") ? "." + parameters.path("apiGroup").asText() : "";
        return parameters.path("kind").asText() + group + "/"
                + parameters.path("name").asText();
    }

    static TableDefinition networkPolicies() {
        return TableBuilder.named()
                .text(
                        "Pod-Selector",
                        "Which pods the policy is about.",
                        row -> SelectorText.selector(row.at("spec", "podSelector")))
                .age()
                .build();
    }

    static TableDefinition serviceCidrs() {
        return TableBuilder.named()
                .text("CIDRs", "The ranges services get their addresses from.", row -> row.joined("spec", "cidrs"))
                .age()
                .build();
    }

    static TableDefinition addresses() {
        return TableBuilder.named()
                .text("ParentRef", "Who has the address.", NetworkTables::parent)
                .build();
    }

    private static String parent(Row address) {
        if (!address.has("spec", "parentRef")) {
            return Row.NONE;
        }
        String group = address.text("spec", "parentRef", "group");
        String resource = address.text("spec", "parentRef", "resource") + (group.isEmpty() ? "" : "." + group);
        String namespace = address.text("spec", "parentRef", "namespace");
        return resource.toLowerCase(Locale.ROOT)
                + (namespace.isEmpty() ? "" : "/" + namespace)
                + "/" + address.text("spec", "parentRef", "name");
    }
}
