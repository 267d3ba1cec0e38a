package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The devices that a pod claims, and which of its containers use them. */
final class DeviceClaims {
    private static final List<String> LISTS = List.of("containers", "initContainers");

    private DeviceClaims() {}

    static void check(Spot spec) {
        Set<String> names = new HashSet<>();
        for (Spot claim : spec.each("resourceClaims")) {
            Spot name = claim.at("name");
            if (name.needed()) {
                if (names.add(name.text())) {
                    name.label();
                } else {
                    name.duplicate(name.text());
                }
            }
            source(claim);
        }
        for (String list : LISTS) {
            spec.each(list).forEach(container -> uses(container.at("resources").at("claims"), names));
        }
    }

    private static void source(Spot claim) {
        boolean named = claim.has("resourceClaimName");
        boolean made = claim.has("resourceClaimTemplateName");
        if (named && made) {
            claim.invalid("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
        } else if (!named && !made) {
            claim.invalid("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
        }
        for (String field : List.of("resourceClaimName", "resourceClaimTemplateName")) {
            if (claim.has(field)) {
                claim.at(field).subdomain();
            }
        }
    }

    /** A claim as a whole, or some of its requests, but nothing twice. */
    private static void uses(Spot claims, Set<String> known) {
        Set<String> used = new HashSet<>();
        for (Spot claim : claims.each()) {
            String name = claim.text("name");
            String request = claim.text("request");
            if (name.isEmpty()) {
                claim.required();
                continue;
            }
            String key = request.isEmpty() ? name : name + "/" + request;
            boolean partly = request.isEmpty() && used.stream().anyMatch(other -> other.startsWith(name + "/"));
            if (used.contains(name) || partly) {
                claim.duplicate(name);
            } else {
                if (!request.isEmpty()) {
                    claim.at("request").label();
                }
                if (!used.add(key)) {
                    claim.duplicate(key);
                }
            }
            if (!known.contains(name)) {
                claim.errors().notFound(claim.path(), name, "must be one of the names in pod.spec.resourceClaims");
            }
        }
    }
}
