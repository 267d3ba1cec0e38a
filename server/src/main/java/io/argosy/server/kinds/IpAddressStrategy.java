package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.net.Ip;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.Optional;

/** Addresses that somebody holds: the name is the address, in the one form it has. */
final class IpAddressStrategy implements Strategy {
    @Override
    public Optional<String> nameError(String name) {
        if (!Spot.isAddress(name)) {
            return Optional.of("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        }
        String canonical = Ip.parse(name).toString();
        return canonical.equals(name)
                ? Optional.empty()
                : Optional.of("must be in canonical form (\"" + canonical + "\")");
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode address, FieldErrors errors) {
        Spot parent = new Spot(address.path("spec"), "spec", errors).at("parentRef");
        if (!parent.needed()) {
            return;
        }
        if (!parent.text("group").isEmpty()) {
            parent.at("group").subdomain();
        }
        parent.at("resource").needed();
        parent.at("name").needed();
    }

    @Override
    public void validateUpdate(ObjectNode address, ObjectNode before, String subresource, FieldErrors errors) {
        Spot parent = new Spot(address.path("spec"), "spec", errors).at("parentRef");
        if (!parent.value().equals(before.path("spec").path("parentRef"))) {
            parent.invalid("field is immutable");
        }
    }
}
