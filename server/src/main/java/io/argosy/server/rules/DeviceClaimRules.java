package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.podspec.ClaimRules;
import io.argosy.server.validation.Spot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which devices somebody wants, and what of that stays. */
public final class DeviceClaimRules {
    static final int MOST_REQUESTS = 32;
    private static final int MOST_ALTERNATIVES = 8;
    private static final int MOST_CONSTRAINTS = 32;
    private static final int MOST_CONFIGURATIONS = 32;
    static final int MOST_SELECTORS = 32;
    private static final int LARGEST_PARAMETERS = 10 * 1024;
    private static final String REFERENCE =
            "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

    private DeviceClaimRules() {}

    public static void claim(Spot claim) {
        devices(claim.at("spec").at("devices"));
    }

    public static void template(Spot template) {
        ClaimRules.templateMetadata(template.at("spec").at("metadata"));
        devices(template.at("spec").at("spec").at("devices"));
    }

    public static void claimChange(Spot claim, JsonNode before) {
        fixed(claim.at("spec"), before.path("spec"));
        DeviceAllocationRules.change(claim, before.path("status"));
    }

    public static void templateChange(Spot template, JsonNode before) {
        fixed(template.at("spec"), before.path("spec"));
    }

    private static void fixed(Spot now, JsonNode before) {
        if (!now.value().equals(before)) {
            now.invalid("field is immutable");
        }
    }

    public static void deviceClass(Spot deviceClass) {
        Spot spec = deviceClass.at("spec");
        selectors(spec.at("selectors"));
        DeviceNames.limited(spec.at("config"), MOST_CONFIGURATIONS).forEach(DeviceClaimRules::configuration);
    }

    private static void devices(Spot devices) {
        List<Spot> requests = DeviceNames.limited(devices.at("requests"), MOST_REQUESTS);
        requests.forEach(DeviceClaimRules::request);
        DeviceNames.unique(requests, request -> request.text("name"));
        Map<String, Set<String>> names = names(devices);
        for (Spot constraint : DeviceNames.limited(devices.at("constraints"), MOST_CONSTRAINTS)) {
            references(constraint.at("requests"), names);
            if (constraint.has("matchAttribute")) {
                DeviceNames.fullyQualified(constraint.at("matchAttribute"));
            } else {
                constraint.at("matchAttribute").required();
            }
        }
        for (Spot configuration : DeviceNames.limited(devices.at("config"), MOST_CONFIGURATIONS)) {
            references(configuration.at("requests"), names);
            configuration(configuration);
        }
    }

    private static void request(Spot request) {
        request.at("name").label();
        boolean exactly = request.has("exactly");
        boolean alternatives = !request.at("firstAvailable").value().isEmpty();
        if (!exactly && !alternatives) {
            request.required("exactly one of `exactly` or `firstAvailable` is required");
        } else if (exactly && alternatives) {
            request.invalid(
                    (Object) null,
                    "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
        } else if (exactly) {
            exact(request.at("exactly"));
        } else {
            List<Spot> some = DeviceNames.limited(request.at("firstAvailable"), MOST_ALTERNATIVES);
            for (Spot one : some) {
                one.at("name").label();
                exact(one);
            }
            DeviceNames.unique(some, one -> one.text("name"));
        }
    }

    private static void exact(Spot request) {
        if (request.at("deviceClassName").needed()) {
            request.at("deviceClassName").subdomain();
        }
        selectors(request.at("selectors"));
        Spot count = request.at("count");
        switch (request.text("allocationMode")) {
            case "All" -> {
                if (count.number() != 0) {
                    count.invalid("must not be specified when allocationMode is 'All'");
                }
            }
            case "ExactCount" -> {
                if (count.number() <= 0) {
                    count.invalid(count.number(), "must be greater than zero");
                }
            }
            default ->
                request.errors()
                        .notSupported(
                                request.at("allocationMode").path(),
                                request.text("allocationMode"),
                                List.of("All", "ExactCount"));
        }
        request.each("tolerations").forEach(DeviceClaimRules::toleration);
    }

    private static void toleration(Spot toleration) {
        if (!toleration.text("key").isEmpty()) {
            toleration.at("key").qualifiedName();
        }
        Spot value = toleration.at("value");
        switch (toleration.text("operator")) {
            case "Exists" -> {
                if (!value.text().isEmpty()) {
                    value.invalid("must be empty for operator `Exists`");
                }
            }
            case "Equal" -> value.labelValue();
            default -> toleration.at("operator").neededOneOf(List.of("Equal", "Exists"));
        }
        toleration.at("effect").oneOf(DeviceSliceRules.EFFECTS);
    }

    private static void selectors(Spot selectors) {
        for (Spot selector : DeviceNames.limited(selectors, MOST_SELECTORS)) {
            if (selector.has("cel")) {
                selector.at("cel").at("expression").notLongerThan(DeviceSelectors.LONGEST);
            } else {
                selector.at("cel").required();
            }
        }
    }

    /** What is meant for a driver alone. */
    static void configuration(Spot configuration) {
        Spot opaque = configuration.at("opaque");
        if (!opaque.isGiven()) {
            opaque.required();
            return;
        }
        StorageNodeRules.driver(opaque.at("driver"));
        Spot parameters = opaque.at("parameters");
        if (!parameters.isGiven()) {
            parameters.required();
        } else if (parameters.value().toString().length() > LARGEST_PARAMETERS) {
            parameters.errors().tooLong(parameters.path(), LARGEST_PARAMETERS);
        } else if (!parameters.value().isObject()) {
            parameters.invalid("<value omitted>", "must be a valid JSON object");
        }
    }

    /** The requests of a claim by name, each with the names of its alternatives. */
    static Map<String, Set<String>> names(Spot devices) {
        Map<String, Set<String>> names = new HashMap<>();
        for (Spot request : devices.each("requests")) {
            Set<String> alternatives = new HashSet<>();
            request.each("firstAvailable").forEach(one -> alternatives.add(one.text("name")));
            names.put(request.text("name"), alternatives);
        }
        return names;
    }

    static void references(Spot references, Map<String, Set<String>> names) {
        List<Spot> all = DeviceNames.limited(references, MOST_REQUESTS);
        all.forEach(reference -> reference(reference, names));
        DeviceNames.unique(all, Spot::text);
    }

    static void reference(Spot reference, Map<String, Set<String>> names) {
        String[] parts = reference.text().split("/", -1);
        boolean known = parts.length <= 2
                && names.containsKey(parts[0])
                && (parts.length == 1 || names.get(parts[0]).contains(parts[1]));
        if (parts.length <= 2) {
            for (String part : parts) {
                Names.labelError(part).ifPresent(error -> reference.invalid(part, error));
            }
        }
        if (!known) {
            reference.invalid(REFERENCE);
        }
    }
}
