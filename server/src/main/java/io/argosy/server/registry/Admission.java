package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A step that every write passes on its way to the store: it may change the object, or refuse it by throwing. */
public interface Admission {
    /** What is about to happen. */
    enum Operation {
        CREATE,
        UPDATE,
        DELETE,
        CONNECT
    }

    /**
     * One write.
     *
     * @param kind what the objects are: the resource's own kind in its storage version, or that of a part with a form of its own, as a scale
     * @param object the object as it would be stored; null for a deletion
     * @param before the object as it is; null for a creation
     * @param delete how it is to be deleted; null if it is not
     * @param defaults fills what may be left out of an object
     */
    record Review(
            Operation operation,
            ResourceType type,
            String subresource,
            GroupVersionKind kind,
            String namespace,
            String name,
            ObjectNode object,
            ObjectNode before,
            DeleteOptions delete,
            WriteOptions options,
            Consumer<ObjectNode> defaults,
            Passage passage) {
        /** A write to a part of an object, in the part's own form. */
        public static Review ofPart(
                Operation operation,
                ResourceType type,
                String subresource,
                GroupVersionKind kind,
                String namespace,
                String name,
                ObjectNode object,
                ObjectNode before,
                WriteOptions options) {
            return new Review(
                    operation,
                    type,
                    subresource,
                    kind,
                    namespace,
                    name,
                    object,
                    before,
                    null,
                    options,
                    part -> {},
                    new Passage());
        }

        /** True where the objects are of the resource's own kind, not of a part's. */
        public boolean isWhole() {
            return kind.equals(type.groupVersionKind());
        }
    }

    /** What the steps on the way of one write leave for each other; for one thread. */
    final class Passage {
        private final Map<Object, Object> notes = new HashMap<>(0);
        private boolean again;
        private boolean second;

        /** The object is no longer what earlier steps saw: they look at it once more. */
        public void repeat() {
            again = true;
        }

        /** True when the steps look at the object for the second, and last, time. */
        public boolean isSecond() {
            return second;
        }

        /** What the step keeps for its second look. */
        public <T> T note(Object step, Class<T> of, Supplier<T> first) {
            return of.cast(notes.computeIfAbsent(step, key -> first.get()));
        }

        private boolean beginSecond() {
            second = again && !second;
            return second;
        }
    }

    default void mutate(Review review) {}

    default void validate(Review review) {}

    /** Several steps as one, in order. */
    static Admission chain(List<Admission> steps) {
        return new Admission() {
            @Override
            public void mutate(Review review) {
                steps.forEach(step -> step.mutate(review));
                if (review.passage().beginSecond()) {
                    steps.forEach(step -> step.mutate(review));
                }
            }

            @Override
            public void validate(Review review) {
                steps.forEach(step -> step.validate(review));
            }
        };
    }
}
