package io.argosy.server.certificates;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.registry.Admission;

/** Who asks for a certificate is written into the request by nobody but us; who approves and who signs must be allowed to for that signer. */
public final class SigningRequests implements Admission {
    private static final String GROUP = "certificates.k8s.io";
    private static final GroupResource REQUESTS = new GroupResource(GROUP, "certificatesigningrequests");
    private static final String CLIENTS = "kubernetes.io/kube-apiserver-client";

    private final Authorizer authorizer;

    public SigningRequests(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    @Override
    public void mutate(Review review) {
        if (review.type().groupResource().equals(REQUESTS)
                && review.operation() == Operation.CREATE
                && review.object().get("spec") instanceof ObjectNode spec) {
            User user = review.options().user();
            spec.put("username", user.name());
            spec.remove("uid");
            if (!user.uid().isEmpty()) {
                spec.put("uid", user.uid());
            }
            ArrayNode groups = spec.putArray("groups");
            user.groups().forEach(groups::add);
            spec.remove("extra");
            user.extra().forEach((key, values) -> {
                ArrayNode extra = spec.withObject("/extra").putArray(key);
                values.forEach(extra::add);
            });
        }
    }

    @Override
    public void validate(Review review) {
        if (!review.type().groupResource().equals(REQUESTS) || review.operation() == Operation.DELETE) {
            return;
        }
        String signer = review.object().at("/spec/signerName").asText();
        if (review.operation() == Operation.CREATE) {
            if (signer.equals(CLIENTS)
                    && Pkcs10.organizations(review.object().at("/spec/request").asText())
                            .contains(User.MASTERS)) {
                throw ApiException.forbidden(
                        REQUESTS,
                        review.name(),
                        "use of " + CLIENTS + " signer with " + User.MASTERS + " group is not allowed");
            }
        } else if (review.subresource().equals("approval")) {
            require("approve", signer, review);
        } else if (review.subresource().equals("status") && isSigned(review)) {
            require("sign", signer, review);
        }
    }

    private static boolean isSigned(Review review) {
        return !review.object().at("/status/certificate").equals(review.before().at("/status/certificate"))
                || !review.object()
                        .at("/status/conditions")
                        .equals(review.before().at("/status/conditions"));
    }

    private void require(String verb, String signer, Review review) {
        User user = review.options().user();
        String whole = signer.substring(0, signer.indexOf('/') + 1) + "*";
        if (!may(user, verb, signer) && !may(user, verb, whole)) {
            throw ApiException.forbidden(
                    REQUESTS,
                    review.name(),
                    "user not permitted to " + verb + " requests with signerName \"" + signer + "\"");
        }
    }

    private boolean may(User user, String verb, String signer) {
        return authorizer.allows(new Authorizer.Action(user, verb, GROUP, "*", "signers", "", "", signer, ""));
    }
}
