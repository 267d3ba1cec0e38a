package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.ResourceStore;
import java.util.List;
import java.util.function.Supplier;

/** What every new pod is given: its service account, and patience with nodes that fail. */
public final class PodAdmission implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final List<String> NODE_FAILURES =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final int PATIENCE_SECONDS = 300;

    private final Supplier<ResourceStore> serviceAccounts;
    private final Lot lot;

    public PodAdmission(Supplier<ResourceStore> serviceAccounts, Lot lot) {
        this.lot = lot;
        this.serviceAccounts = serviceAccounts;
    }

    @Override
    public void mutate(Review review) {
        boolean creates = review.operation() == Operation.CREATE;
        boolean updates =
                review.operation() == Operation.UPDATE && review.subresource().isEmpty();
        if (!(creates || updates) || !review.type().groupResource().equals(PODS)) {
            return;
        }
        ObjectNode spec = (ObjectNode) review.object().get("spec");
        if (creates) {
            serviceAccount(review, spec);
        }
        tolerations(spec); // also for who leaves them out of an update, because they may not go
    }

    @Override
    public void validate(Review review) {
        boolean debugs =
                review.operation() == Operation.UPDATE && review.subresource().equals("ephemeralcontainers");
        boolean creates =
                review.operation() == Operation.CREATE && review.subresource().isEmpty();
        if (!(creates || debugs) || !review.type().groupResource().equals(PODS)) {
            return;
        }
        JsonNode spec = review.object().path("spec");
        CachedObject account = serviceAccounts
                .get()
                .find(review.namespace(), spec.path("serviceAccountName").asText(""));
        if (account != null && MountableSecrets.mayBeLimited(account.json())) {
            MountableSecrets.of(ApiObject.ofJson(account.json()).tree())
                    .flatMap(listed -> debugs ? listed.problemOfDebugging(spec) : listed.problem(spec))
                    .ifPresent(problem -> {
                        throw ApiException.forbidden(PODS, review.name(), problem);
                    });
        }
    }

    /** A mirror of what a node runs by itself has none; it may also name none. */
    private void serviceAccount(Review review, ObjectNode spec) {
        if (Metadata.of(review.object()).node().path("annotations").has(MIRROR)) {
            if (!spec.path("serviceAccountName").asText("").isEmpty()) {
                throw ApiException.forbidden(PODS, review.name(), "a mirror pod may not reference service accounts");
            }
            return;
        }
        String name = spec.path("serviceAccountName").asText("");
        if (name.isEmpty()) {
            name = "default";
            spec.put("serviceAccountName", name).put("serviceAccount", name);
        }
        CachedObject account = serviceAccounts.get().find(review.namespace(), name);
        if (account == null) {
            throw ApiException.forbidden(
                    PODS,
                    review.name(),
                    "error looking up service account " + review.namespace() + "/" + name + ": serviceaccount \"" + name
                            + "\" not found");
        }
        ServiceAccountMount.apply(spec, ApiObject.ofJson(account.json()).tree(), lot);
    }

    private static void tolerations(ObjectNode spec) {
        ArrayNode tolerations =
                spec.get("tolerations") instanceof ArrayNode found ? found : spec.putArray("tolerations");
        for (String failure : NODE_FAILURES) {
            if (!tolerated(tolerations, failure)) {
                tolerations
                        .addObject()
                        .put("key", failure)
                        .put("operator", "Exists")
                        .put("effect", "NoExecute")
                        .put("tolerationSeconds", PATIENCE_SECONDS);
            }
        }
    }

    private static boolean tolerated(ArrayNode tolerations, String key) {
        for (JsonNode toleration : tolerations) {
            String tolerated = toleration.path("key").asText("");
            String effect = toleration.path("effect").asText("");
            if ((tolerated.isEmpty() || tolerated.equals(key)) && (effect.isEmpty() || effect.equals("NoExecute"))) {
                return true;
            }
        }
        return false;
    }
}
