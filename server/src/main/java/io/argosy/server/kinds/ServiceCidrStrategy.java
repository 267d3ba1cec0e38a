package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.net.Cidr;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.util.List;

/** Ranges of Service addresses: one, or one of each family; a second may be added, and nothing else ever changes. */
final class ServiceCidrStrategy implements Strategy {
    private static final String IMMUTABLE = "field is immutable";
    private static final String VALID = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void validate(ObjectNode range, FieldErrors errors) {
        Spot cidrs = new Spot(range.path("spec"), "spec", errors).at("cidrs");
        List<Spot> all = cidrs.each();
        if (all.isEmpty()) {
            cidrs.required("at least one CIDR required");
        } else if (all.size() > 2) {
            cidrs.invalid("may only hold up to 2 values");
        } else {
            all.forEach(ServiceCidrStrategy::check);
            if (all.size() == 2 && isSix(all.get(0)) == isSix(all.get(1))) {
                cidrs.invalid(
                        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
            }
        }
    }

    private static boolean isSix(Spot cidr) {
        return cidr.text().indexOf(':') >= 0;
    }

    private static void check(Spot cidr) {
        try {
            String canonical = Cidr.parse(cidr.text()).toString();
            if (cidr.text().indexOf('/') < 0) {
                cidr.invalid(VALID);
            } else if (!canonical.equals(cidr.text())) {
                cidr.invalid("must be in canonical form (\"" + canonical + "\")");
            }
        } catch (IllegalArgumentException notOne) {
            cidr.invalid(VALID);
        }
    }

    @Override
    public void validateUpdate(ObjectNode range, ObjectNode before, String subresource, FieldErrors errors) {
        Spot cidrs = new Spot(range.path("spec"), "spec", errors).at("cidrs");
        List<Spot> now = cidrs.each();
        List<Spot> was = new Spot(before.path("spec"), "spec", errors).each("cidrs");
        if (now.size() != was.size() && !(was.size() == 1 && now.size() == 2)) {
            cidrs.invalid(IMMUTABLE);
            return;
        }
        for (int i = 0; i < was.size(); i++) {
            if (!now.get(i).value().equals(was.get(i).value())) {
                now.get(i).invalid(IMMUTABLE);
            }
        }
    }
}
