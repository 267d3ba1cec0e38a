package io.argosy.server.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.ResourceStore;
import java.util.function.Supplier;

/** Gives every new pod the number that its PriorityClass stands for, and sees to it that at most one class is the default. */
public final class PriorityAdmission implements Admission {
    private static final GroupResource PODS = new GroupResource("", "pods");
    private static final GroupResource CLASSES = new GroupResource("scheduling.k8s.io", "priorityclasses");
    private static final String PREEMPTS = "PreemptLowerPriority";

    private final Supplier<ResourceStore> classes;

    public PriorityAdmission(Supplier<ResourceStore> classes) {
        this.classes = classes;
    }

    @Override
    public void mutate(Review review) {
        if (review.operation() == Operation.CREATE
                && review.type().groupResource().equals(PODS)
                && review.subresource().isEmpty()) {
            assign(review, (ObjectNode) review.object().get("spec"));
        }
    }

    @Override
    public void validate(Review review) {
        if (review.operation() == Operation.DELETE
                || !review.type().groupResource().equals(CLASSES)
                || !review.object().path("globalDefault").asBoolean()) {
            return;
        }
        ObjectNode present = defaultClass();
        if (present != null) {
            String name = nameOf(present);
            if (review.operation() == Operation.CREATE || !name.equals(review.name())) {
                throw ApiException.forbidden(
                        CLASSES,
                        review.name(),
                        "PriorityClass " + name + " is already marked as default. Only one default can exist");
            }
        }
    }

    private void assign(Review review, ObjectNode spec) {
        String name = spec.path("priorityClassName").asText("");
        ObjectNode found;
        if (name.isEmpty()) {
            found = defaultClass();
            if (found != null) {
                spec.put("priorityClassName", nameOf(found));
            }
        } else {
            CachedObject cached = classes.get().find("", name);
            if (cached == null) {
                throw ApiException.forbidden(PODS, review.name(), "no PriorityClass with name " + name + " was found");
            }
            found = ApiObject.ofJson(cached.json()).tree();
        }
        int priority = found == null ? 0 : found.path("value").asInt();
        String preemption =
                found == null ? PREEMPTS : found.path("preemptionPolicy").asText(PREEMPTS);
        if (spec.hasNonNull("priority") && spec.get("priority").asInt() != priority) {
            throw ApiException.forbidden(
                    PODS,
                    review.name(),
                    "the integer value of priority (" + spec.get("priority").asInt()
                            + ") must not be provided in pod spec; priority admission controller computed " + priority
                            + " from the given PriorityClass name");
        }
        if (spec.hasNonNull("preemptionPolicy")
                && !spec.get("preemptionPolicy").asText().equals(preemption)) {
            throw ApiException.forbidden(
                    PODS,
                    review.name(),
                    "the string value of PreemptionPolicy ("
                            + spec.get("preemptionPolicy").asText()
                            + ") must not be provided in pod spec; priority admission controller computed " + preemption
                            + " from the given PriorityClass name");
        }
        spec.put("priority", priority).put("preemptionPolicy", preemption);
    }

    /** Two could slip in at the same moment; then the lower one counts. Null if there is none. */
    private ObjectNode defaultClass() {
        ObjectNode lowest = null;
        for (CachedObject candidate : classes.get().snapshot("").objects()) {
            ObjectNode found = ApiObject.ofJson(candidate.json()).tree();
            if (found.path("globalDefault").asBoolean()
                    && (lowest == null
                            || found.path("value").asInt()
                                    < lowest.path("value").asInt())) {
                lowest = found;
            }
        }
        return lowest;
    }

    private static String nameOf(ObjectNode priorityClass) {
        return priorityClass.path("metadata").path("name").asText();
    }
}
