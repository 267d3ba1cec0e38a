package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.ApiException.Details;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Conditions;
import io.argosy.server.registry.Conditions.Condition;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.Metadata;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.ResourceStore.Deleted;
import io.argosy.server.registry.ResourceStore.Written;
import io.argosy.server.registry.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Deletes pods politely: only if the disruption budget that covers a pod has room for one more to go. */
final class Evictions {
    private static final GroupVersionKind EVICTION = new GroupVersionKind("policy", "v1", "Eviction");

    /** Clients of old name the version that evictions began in. */
    private static final GroupVersionKind OLD_EVICTION = new GroupVersionKind("policy", "v1beta1", "Eviction");

    private static final GroupResource BUDGETS = new GroupResource("policy", "poddisruptionbudgets");
    private static final GroupResource BUDGET = new GroupResource("policy", "poddisruptionbudget");

    /** So many evictions may wait for the budget's controller to see them. */
    private static final int MOST_DISRUPTED = 2000;

    private static final Set<String> NOT_RUNNING = Set.of("Pending", "Succeeded", "Failed");
    private static final String REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
    private static final int RETRY_SECONDS = 10;
    private static final User SERVER = new User("system:apiserver", List.of(User.MASTERS));
    private static final Condition EVICTED =
            new Condition("DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting");

    private final Registry registry;
    private final Clock clock;
    private final Parts parts;

    Evictions(Registry registry, Clock clock, Parts parts) {
        this.parts = parts;
        this.registry = registry;
        this.clock = clock;
    }

    Deleted evict(ResourceStore pods, ResourceRequest request, List<String> warnings) {
        ObjectNode eviction = Bodies.object(request, kind(request), warnings::add);
        if (!Metadata.of(eviction).name().equals(request.name())) {
            throw ApiException.badRequest("name in URL does not match name in Eviction object");
        }
        DeleteOptions delete = DeleteOptions.of(eviction.path("deleteOptions"));
        boolean dryRun = request.dryRun() || delete.dryRun();
        WriteOptions options = Writes.options(request, warnings, dryRun);
        CachedObject found = pods.get(request.namespace(), request.name());
        parts.admit(Operation.CREATE, pods.type(), request, kind(request), eviction, null, options);
        ObjectNode pod = Json.decodeObject(found.json());
        boolean counts = !NOT_RUNNING.contains(pod.path("status").path("phase").asText())
                && !Metadata.of(pod).isBeingDeleted();
        if (counts) {
            askBudget(found, pod, options);
        }
        DeleteOptions last = dryRun ? delete : announced(pods, found, delete, options);
        return pods.deleteAdmitted(request.namespace(), request.name(), last, options);
    }

    /** The pod says why it goes before it goes: whoever counts its failures is told that this is none of its own. */
    private DeleteOptions announced(ResourceStore pods, CachedObject pod, DeleteOptions delete, WriteOptions options) {
        Written announced = pods.update(
                pod.namespace(),
                pod.name(),
                "status",
                current -> {
                    if (delete.uid() != null) {
                        Metadata.of(current).node().put("uid", delete.uid());
                    }
                    if (delete.resourceVersion() != null) {
                        Metadata.of(current).node().put("resourceVersion", delete.resourceVersion());
                    }
                    ObjectNode status =
                            current.get("status") instanceof ObjectNode known ? known : current.putObject("status");
                    Conditions.set(status, EVICTED, clock);
                    return current;
                },
                new WriteOptions(SERVER, false, options.warnings(), options.writer()));
        return delete.resourceVersion() == null ? delete : delete.at(Long.toString(announced.revision()));
    }

    private static GroupVersionKind kind(ResourceRequest request) {
        JsonNode sent = Bodies.options(request);
        return sent.path("apiVersion").asText().equals(OLD_EVICTION.apiVersion()) ? OLD_EVICTION : EVICTION;
    }

    private void askBudget(CachedObject found, ObjectNode pod, WriteOptions options) {
        ResourceStore budgets = registry.store(BUDGETS.group(), BUDGETS.resource());
        List<ObjectNode> covering = new ArrayList<>();
        for (CachedObject candidate : budgets.snapshot(found.namespace()).objects()) {
            ObjectNode budget = Json.decodeObject(candidate.json());
            JsonNode selector = budget.path("spec").path("selector");
            if (!selector.isMissingNode() && LabelSelector.of(selector).matches(found.labels())) {
                covering.add(budget);
            }
        }
        if (covering.isEmpty()) {
            return;
        }
        if (covering.size() > 1) {
            throw new ApiException(
                    Reason.InternalError,
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        }
        if (!isReady(pod) && mayGoUnready(covering.getFirst())) {
            return;
        }
        String name = Metadata.of(covering.getFirst()).name();
        budgets.update(found.namespace(), name, "status", budget -> spent(budget, found.name()), options);
    }

    private static boolean isReady(ObjectNode pod) {
        for (JsonNode condition : pod.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** A pod that is not ready does not count among the healthy ones. */
    private static boolean mayGoUnready(ObjectNode budget) {
        if (budget.path("spec").path("unhealthyPodEvictionPolicy").asText().equals("AlwaysAllow")) {
            return true;
        }
        JsonNode status = budget.path("status");
        int desired = status.path("desiredHealthy").asInt();
        return desired > 0 && status.path("currentHealthy").asInt() >= desired;
    }

    /** The budget with one disruption less. */
    private ObjectNode spent(ObjectNode budget, String pod) {
        ObjectNode status = budget.get("status") instanceof ObjectNode found ? found : budget.putObject("status");
        Metadata metadata = Metadata.of(budget);
        long generation = metadata.node().path("generation").asLong();
        if (status.path("observedGeneration").asLong() < generation) {
            throw refused(
                    "The disruption budget " + metadata.name() + " is still being processed by the server.",
                    RETRY_SECONDS);
        }
        if (status.path("disruptedPods").size() > MOST_DISRUPTED) {
            throw ApiException.forbidden(
                    BUDGET,
                    metadata.name(),
                    "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
        }
        int allowed = status.path("disruptionsAllowed").asInt();
        if (allowed < 0) {
            throw ApiException.forbidden(BUDGET, metadata.name(), "pdb disruptions allowed is negative");
        }
        if (allowed == 0) {
            throw refused("The disruption budget " + metadata.name() + whyNone(status), 0);
        }
        status.put("disruptionsAllowed", allowed - 1);
        ObjectNode disrupted =
                status.get("disruptedPods") instanceof ObjectNode found ? found : status.putObject("disruptedPods");
        disrupted.put(pod, Metadata.time(clock.now()));
        return budget;
    }

    /** Numbers are not to be trusted where the budget could not be counted. */
    private static String whyNone(JsonNode status) {
        JsonNode told = Json.object();
        for (JsonNode condition : status.path("conditions")) {
            boolean says = !condition.path("message").asText().isEmpty();
            if (condition.path("type").asText().equals("DisruptionAllowed")
                    && condition.path("status").asText().equals("False")
                    && says) {
                told = condition;
            }
        }
        String reason = told.path("reason").asText();
        int desired = status.path("desiredHealthy").asInt();
        int current = status.path("currentHealthy").asInt();
        String notNow = " does not allow evicting pods currently";
        if (reason.equals("SyncFailed")) {
            return notNow + " because it failed sync: " + told.path("message").asText();
        }
        if (current <= desired) {
            return " needs " + desired + " healthy pods and has " + current + " currently";
        }
        return told.isEmpty()
                ? notNow
                : notNow + " (" + reason + "): " + told.path("message").asText();
    }

    /** Clients try by themselves as long as they are told when; a budget without room is theirs to decide about. */
    private static ApiException refused(String why, int retrySeconds) {
        Cause cause = new Cause("DisruptionBudget", why, "");
        return new ApiException(
                Reason.TooManyRequests,
                REFUSED,
                Details.NONE.withCauses(List.of(cause)).withRetryAfter(retrySeconds));
    }
}
