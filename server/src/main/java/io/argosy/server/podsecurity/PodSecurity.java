package io.argosy.server.podsecurity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupResource;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds pods to what the labels of their namespace say: refuses a pod that breaks the level that is enforced; warns of it, and notes it in
 * the record of the request, also for whatever makes pods from a template.
 */
public final class PodSecurity implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final GroupResource NAMESPACES = new GroupResource("", "namespaces");
    /** Where the kinds that make pods keep their template. */
    private static final Map<String, String> TEMPLATES = Map.of(
            "podtemplates", "/template",
            "replicationcontrollers", "/spec/template",
            "replicasets.apps", "/spec/template",
            "deployments.apps", "/spec/template",
            "statefulsets.apps", "/spec/template",
            "daemonsets.apps", "/spec/template",
            "jobs.batch", "/spec/template",
            "cronjobs.batch", "/spec/jobTemplate/spec/template");
    /** Parts of a pod that cannot change what it may do. */
    private static final Set<String> HARMLESS =
            Set.of("exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status", "token");

    private static final int MOST_PODS = 3000;

    private final Supplier<Registry> registry;

    public PodSecurity(Supplier<Registry> registry) {
        this.registry = registry;
    }

    @Override
    public void validate(Review review) {
        if (review.operation() != Operation.CREATE && review.operation() != Operation.UPDATE) {
            return;
        }
        GroupResource resource = review.type().groupResource();
        if (resource.equals(NAMESPACES)) {
            if (review.subresource().isEmpty()) {
                namespace(review);
            }
        } else if (resource.equals(PODS)) {
            if (!HARMLESS.contains(review.subresource()) && isOfWeight(review)) {
                judge(
                        review,
                        new PodView(
                                review.object().path("metadata"),
                                review.object().path("spec")),
                        true);
            }
        } else if (review.subresource().isEmpty() && TEMPLATES.containsKey(resource.toString())) {
            JsonNode template = review.object().at(TEMPLATES.get(resource.toString()));
            judge(review, new PodView(template.path("metadata"), template.path("spec")), false);
        }
    }

    /** Whether a change of a pod touches what the rules look at. */
    private static boolean isOfWeight(Review review) {
        return review.before() == null
                || !review.before().path("spec").equals(review.object().path("spec"))
                || !review.before()
                        .at("/metadata/annotations")
                        .equals(review.object().at("/metadata/annotations"));
    }

    private void judge(Review review, PodView pod, boolean enforced) {
        CachedObject namespace = registry.get().store("", "namespaces").find("", review.namespace());
        if (namespace == null) {
            return; // refused elsewhere
        }
        FieldErrors unread = new FieldErrors();
        Policy policy = Policy.of(namespace.labels(), unread);
        if (enforced) {
            note(review, "enforce-policy", policy.isFullyPrivileged() ? Level.UNBOUND : policy.enforce());
        }
        if (!unread.isEmpty()) {
            List<String> faults = unread.causes().stream()
                    .map(cause -> cause.field() + ": " + cause.message())
                    .toList();
            note(review, "error", "Failed to parse policy: " + (faults.size() == 1 ? faults.getFirst() : faults));
        }
        if (policy.isFullyPrivileged()) {
            return;
        }
        Map<Level, List<Violation>> known = new HashMap<>();
        if (enforced) {
            List<Violation> broken = known.computeIfAbsent(policy.enforce(), level -> Standards.broken(pod, level));
            if (!broken.isEmpty()) {
                throw ApiException.forbidden(
                        PODS,
                        review.name(),
                        "violates PodSecurity \"" + policy.enforce() + "\": " + Violation.details(broken));
            }
        }
        tell(policy.audit(), pod, known, text -> note(review, "audit-violations", text));
        tell(policy.warn(), pod, known, review.options().warnings());
    }

    private static void note(Review review, String key, Object value) {
        review.options().annotations().accept("pod-security.kubernetes.io/" + key, value.toString());
    }

    private static void tell(Level level, PodView pod, Map<Level, List<Violation>> known, Consumer<String> listener) {
        List<Violation> broken = known.computeIfAbsent(level, any -> Standards.broken(pod, any));
        if (!broken.isEmpty()) {
            listener.accept("would violate PodSecurity \"" + level + "\": " + Violation.details(broken));
        }
    }

    private void namespace(Review review) {
        FieldErrors errors = new FieldErrors();
        Policy policy = Policy.of(labels(review.object()), errors);
        if (review.operation() == Operation.CREATE) {
            refuse(review, errors);
            return;
        }
        FieldErrors before = new FieldErrors();
        Policy old = Policy.of(labels(review.before()), before);
        if (!errors.causes().equals(before.causes())) {
            refuse(review, errors);
        }
        Level now = policy.enforce();
        boolean relaxed = now.minor() == old.enforce().minor()
                && now.kind().compareTo(old.enforce().kind()) <= 0;
        if (!now.isPrivileged() && !now.equals(old.enforce()) && !relaxed) {
            warnings(review.name(), now).forEach(review.options().warnings());
        }
    }

    private static void refuse(Review review, FieldErrors errors) {
        if (!errors.isEmpty()) {
            throw ApiException.invalid("", "Namespace", review.name(), errors.causes());
        }
    }

    private static Map<String, String> labels(ObjectNode namespace) {
        Map<String, String> labels = new HashMap<>();
        namespace
                .at("/metadata/labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    /** What the namespace's pods would not be allowed any more; those that break the same rules are told of together. */
    private List<String> warnings(String namespace, Level enforced) {
        Map<String, List<String>> podsByReason = new TreeMap<>();
        List<CachedObject> pods =
                registry.get().store("", "pods").snapshot(namespace).objects();
        List<String> warnings = new ArrayList<>();
        for (CachedObject pod : pods.subList(0, Math.min(MOST_PODS, pods.size()))) {
            ObjectNode tree = Json.decodeObject(pod.json());
            List<Violation> broken = Standards.broken(new PodView(tree.path("metadata"), tree.path("spec")), enforced);
            if (!broken.isEmpty()) {
                podsByReason
                        .computeIfAbsent(Violation.reasons(broken), any -> new ArrayList<>())
                        .add(pod.name());
            }
        }
        if (pods.size() > MOST_PODS) {
            warnings.add("new PodSecurity enforce level only checked against the first " + MOST_PODS + " of "
                    + pods.size() + " existing pods");
        }
        if (!podsByReason.isEmpty()) {
            warnings.add("existing pods in namespace \"" + namespace + "\" violate the new PodSecurity enforce level \""
                    + enforced + "\"");
        }
        podsByReason.entrySet().stream()
                .map(entry -> named(entry.getValue()) + ": " + entry.getKey())
                .sorted()
                .forEach(warnings::add);
        return warnings;
    }

    private static String named(List<String> pods) {
        String first = pods.stream().min(String::compareTo).orElseThrow();
        int others = pods.size() - 1;
        return others == 0 ? first : first + " (and " + others + " other " + Violation.plural("pod", others) + ")";
    }
}
