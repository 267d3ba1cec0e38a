package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Set;

/** What the spec of a pod must say, in a pod and in the template of one. */
public final class PodSpecRules {
    private static final int MOST_NAMESERVERS = 3;
    private static final int MOST_SEARCHES = 32;
    private static final int LONGEST_SEARCHES = 2048;

    private PodSpecRules() {}

    /** In a pod, where some things are wrong that the template of one may say. */
    public static void check(JsonNode spec, String path, FieldErrors errors) {
        check(spec, path, Set.of(), errors);
        Spot spot = new Spot(spec, path, errors);
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            for (Spot container : spot.each(list)) {
                if (!container.text("image").equals(container.text("image").strip())) {
                    container.at("image").invalid("must not have leading or trailing whitespace");
                }
            }
        }
        if (spot.text("serviceAccountName").isEmpty()) {
            tokens(spot);
        }
    }

    private static void tokens(Spot spec) {
        for (Spot volume : spec.each("volumes")) {
            for (Spot source : volume.at("projected").each("sources")) {
                if (source.has("serviceAccountToken")) {
                    source.at("serviceAccountToken")
                            .forbidden("must not be specified when serviceAccountName is not set");
                }
            }
        }
    }

    /** Containers may also mount the further volumes, which the pod will be given when it is made. */
    public static void check(JsonNode spec, String path, Set<String> further, FieldErrors errors) {
        Spot spot = new Spot(spec, path, errors);
        new Containers(spot, Volumes.check(spot), further).check();
        DeviceClaims.check(spot);
        WholePod.check(spot);
        Amounts.ofOverhead(spot.at("overhead"), spot.path() + ".overhead");
        Placement.check(spot);
        Contexts.ofPod(spot);
        WindowsOptions.hostProcesses(spot);
        names(spot);
        dns(spot);
        spot.at("restartPolicy").oneOf(List.of("Always", "OnFailure", "Never"));
        spot.at("activeDeadlineSeconds").between(1, Integer.MAX_VALUE);
        spot.each("readinessGates").forEach(gate -> gate.at("conditionType").qualifiedName());
        OperatingSystem.check(spot);
    }

    private static void names(Spot spec) {
        for (String field : List.of("serviceAccountName", "runtimeClassName")) {
            if (!spec.text(field).isEmpty()) {
                spec.at(field).subdomain();
            }
        }
        for (String field : List.of("hostname", "subdomain")) {
            if (!spec.text(field).isEmpty()) {
                spec.at(field).label();
            }
        }
        Spot override = spec.at("hostnameOverride");
        if (override.isGiven()) {
            if (spec.isTrue("setHostnameAsFQDN")) {
                override.forbidden("may not be specified when setHostnameAsFQDN is true");
            }
            if (spec.isTrue("hostNetwork")) {
                override.forbidden("may not be specified when hostNetwork is true");
            }
            if (override.text().length() > 64) {
                spec.errors().tooLong(override.path(), 64);
            }
            override.subdomain();
        }
        for (Spot alias : spec.each("hostAliases")) {
            alias.at("ip").address();
            alias.each("hostnames").forEach(Spot::subdomain);
        }
    }

    private static void dns(Spot spec) {
        spec.at("dnsPolicy").oneOf(List.of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"));
        Spot config = spec.at("dnsConfig");
        List<Spot> servers = config.each("nameservers");
        List<Spot> searches = config.each("searches");
        if (spec.text("dnsPolicy").equals("None")) {
            if (!config.isGiven()) {
                config.required("must provide `dnsConfig` when `dnsPolicy` is None");
            } else if (servers.isEmpty()) {
                config.at("nameservers").required("must provide at least one DNS nameserver when `dnsPolicy` is None");
            }
        }
        if (servers.size() > MOST_NAMESERVERS) {
            config.at("nameservers").invalid("must not have more than " + MOST_NAMESERVERS + " nameservers");
        }
        servers.forEach(Spot::address);
        if (searches.size() > MOST_SEARCHES) {
            config.at("searches").invalid("must not have more than " + MOST_SEARCHES + " search paths");
        }
        int length =
                searches.stream().mapToInt(search -> search.text().length() + 1).sum() - 1;
        if (length > LONGEST_SEARCHES) {
            config.at("searches")
                    .invalid("must not have more than " + LONGEST_SEARCHES
                            + " characters (including spaces) in the search list");
        }
        for (Spot search : searches) {
            String plain = search.text().endsWith(".")
                    ? search.text().substring(0, search.text().length() - 1)
                    : search.text();
            if (!search.text().equals(".")) {
                Names.subdomainError(plain.replace('_', 'a')).ifPresent(error -> search.invalid(search.text(), error));
            }
        }
        for (Spot option : config.each("options")) {
            if (option.text("name").isEmpty()) {
                option.required("must not be empty");
            }
        }
    }
}
