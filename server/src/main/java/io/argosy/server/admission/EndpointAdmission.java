package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.validation.Spot;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * Endpoints lead nobody to the machine of whoever follows them, nor to what stands for many. Only the server itself, and the program that it is a part
 * of, may say that something is at a loopback address: on a machine without a network it is.
 */
public final class EndpointAdmission implements Admission {
    private static final GroupResource ENDPOINTS = new GroupResource("", "endpoints");
    private static final GroupResource SLICES = new GroupResource("discovery.k8s.io", "endpointslices");
    private static final Set<String> OURSELVES = Set.of("system:apiserver", "argosy:embedder");

    @Override
    public void validate(Review review) {
        GroupResource resource = review.type().groupResource();
        if (review.object() == null
                || OURSELVES.contains(review.options().user().name())
                || !(resource.equals(ENDPOINTS) || resource.equals(SLICES))) {
            return;
        }
        FieldErrors errors = new FieldErrors();
        Spot object = new Spot(review.object(), "", errors);
        if (resource.equals(SLICES)) {
            JsonNode before = review.before() == null ? null : review.before().path("endpoints");
            if (!object.at("endpoints").value().equals(before)) {
                object.each("endpoints")
                        .forEach(endpoint -> endpoint.each("addresses").forEach(EndpointAdmission::check));
            }
        } else if (review.before() == null
                || !object.at("subsets").value().equals(review.before().path("subsets"))) {
            for (Spot subset : object.each("subsets")) {
                for (String list : List.of("addresses", "notReadyAddresses")) {
                    subset.each(list).forEach(address -> check(address.at("ip")));
                }
            }
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(
                    review.type().group(),
                    review.type().kind(),
                    Metadata.of(review.object()).name(),
                    errors.causes());
        }
    }

    private static void check(Spot address) {
        if (!Spot.isAddress(address.text())) {
            return; // a name, or said elsewhere
        }
        InetAddress parsed = InetAddress.ofLiteral(address.text());
        if (parsed.isAnyLocalAddress()) {
            address.invalid("may not be unspecified (" + address.text() + ")");
        } else if (parsed.isLoopbackAddress()) {
            address.invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)");
        } else if (parsed.isLinkLocalAddress()) {
            address.invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        } else if (parsed.isMCLinkLocal()) {
            address.invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }
}
