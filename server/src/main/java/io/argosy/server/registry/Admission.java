package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.kinds.ResourceType;
import java.util.List;

/** A step that every write passes on its way to the store: it may change the object, or refuse it by throwing. */
public interface Admission {
    /** What is about to happen. */
    enum Operation {
        CREATE,
        UPDATE,
        DELETE
    }

    /**
     * One write.
     *
     * @param object the object as it would be stored; null for a deletion
     * @param before the object as it is; null for a creation
     */
    record Review(
            Operation operation,
            ResourceType type,
            String subresource,
            String namespace,
            String name,
            ObjectNode object,
            ObjectNode before,
            WriteOptions options) {}

    default void mutate(Review review) {}

    default void validate(Review review) {}

    /** Several steps as one, in order. */
    static Admission chain(List<Admission> steps) {
        return new Admission() {
            @Override
            public void mutate(Review review) {
                steps.forEach(step -> step.mutate(review));
            }

            @Override
            public void validate(Review review) {
                steps.forEach(step -> step.validate(review));
            }
        };
    }
}
