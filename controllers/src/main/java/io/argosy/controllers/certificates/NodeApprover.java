package io.argosy.controllers.certificates;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Approves the requests of nodes for their own client certificates, if whoever asks may ask for that. */
public final class NodeApprover implements Reconciler {
    private static final GroupVersion CERTIFICATES = new GroupVersion("certificates.k8s.io", "v1");
    private static final GroupVersion AUTHORIZATION = new GroupVersion("authorization.k8s.io", "v1");

    private final ApiTransport transport;
    private final Informer<CertificateSigningRequest> requests;

    private NodeApprover(ApiTransport transport, Informers informers) {
        this.transport = transport;
        requests = informers.of(CertificateSigningRequest.class);
    }

    public static Controller controller(ApiTransport transport, Informers informers, Clock clock) {
        return Controller.named("csrapproving", informers, clock)
                .watches(CertificateSigningRequest.class)
                .reconciler(new NodeApprover(transport, informers));
    }

    @Override
    public Result reconcile(NamespacedName key) throws IOException {
        CertificateSigningRequest request = requests.get(key).orElse(null);
        if (request == null
                || !request.getSpec().getSignerName().equals(SignerRules.KUBELET_CLIENT)
                || Requests.has(request, "Approved")
                || Requests.has(request, "Denied")
                || Requests.isIssued(request)) {
            return Result.done();
        }
        Wish wish = Wish.of(request);
        Optional<String> message = SignerRules.problem(wish).isPresent() ? Optional.empty() : permission(request, wish);
        message.ifPresent(text -> approve(request, text));
        return Result.done();
    }

    /** As what the request can be approved; empty if not at all. */
    private Optional<String> permission(CertificateSigningRequest request, Wish wish) {
        if (request.getSpec().getUsername().equals(wish.name()) && may(request, "selfnodeclient")) {
            return Optional.of("Auto approving self kubelet client certificate after SubjectAccessReview.");
        }
        return may(request, "nodeclient")
                ? Optional.of("Auto approving kubelet client certificate after SubjectAccessReview.")
                : Optional.empty();
    }

    private boolean may(CertificateSigningRequest request, String subresource) {
        ObjectNode review =
                Json.object().put("kind", "SubjectAccessReview").put("apiVersion", AUTHORIZATION.toString());
        ObjectNode spec = review.putObject("spec").put("user", request.getSpec().getUsername());
        ArrayNode groups = spec.putArray("groups");
        request.getSpec().getGroups().forEach(groups::add);
        if (request.getSpec().getUid() != null) {
            spec.put("uid", request.getSpec().getUid());
        }
        if (request.getSpec().getExtra() != null) {
            spec.set("extra", Models.toTree(request.getSpec().getExtra()));
        }
        spec.putObject("resourceAttributes")
                .put("group", CERTIFICATES.group())
                .put("resource", "certificatesigningrequests")
                .put("subresource", subresource)
                .put("verb", "create");
        byte[] answer = transport
                .send(new Request(
                        Verb.CREATE,
                        AUTHORIZATION,
                        "subjectaccessreviews",
                        "",
                        "",
                        "",
                        Map.of(),
                        "application/json",
                        Json.encode(review)))
                .body();
        return Json.decodeObject(answer).at("/status/allowed").asBoolean();
    }

    private void approve(CertificateSigningRequest request, String message) {
        CertificateSigningRequest approved = new CertificateSigningRequestBuilder(request)
                .editOrNewStatus()
                .addNewCondition()
                .withType("Approved")
                .withStatus("True")
                .withReason("AutoApproved")
                .withMessage(message)
                .endCondition()
                .endStatus()
                .build();
        transport.send(new Request(
                Verb.UPDATE,
                CERTIFICATES,
                "certificatesigningrequests",
                "",
                request.getMetadata().getName(),
                "approval",
                Map.of(),
                "application/json",
                Json.encode(Models.<ObjectNode>toTree(approved))));
    }
}
