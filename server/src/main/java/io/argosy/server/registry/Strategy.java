package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import java.time.Duration;
import java.util.function.Consumer;

/** What is special about one kind; everything else is the registry's, the same for all. Objects are in their storage version. */
public interface Strategy {
    Strategy PLAIN = new Strategy() {};

    /** Fills what the client may leave out. Called on every write. */
    default void applyDefaults(ObjectNode object) {}

    /**
     * Takes back what cannot be changed through a part of the object.
     *
     * @param subresource the part the change comes through; empty for the object itself
     */
    default void confine(ObjectNode object, ObjectNode before, String subresource) {}

    /** Sets what only the server sets, on a new object that admission has seen and changed. */
    default void prepareForCreate(ObjectNode object) {}

    /**
     * Keeps or sets what only the server sets, on a changed object that admission has seen and changed.
     *
     * @param subresource the part the change came through; empty for the object itself
     */
    default void prepareForUpdate(ObjectNode object, ObjectNode before, String subresource) {}

    /**
     * Takes what the prepared object needs for itself alone, such as an address, and writes it into the object.
     *
     * @param before the object as it is, with what it already holds; null for a new one
     */
    default Reservation reserve(ObjectNode object, ObjectNode before) {
        return Reservation.NONE;
    }

    default void validate(ObjectNode object, FieldErrors errors) {}

    /** Rules on new objects only; {@link #validate} has already seen the object. */
    default void validateCreate(ObjectNode object, FieldErrors errors) {}

    /** Rules on the change itself; {@link #validate} has already seen the new object. */
    default void validateUpdate(ObjectNode object, ObjectNode before, String subresource, FieldErrors errors) {}

    /**
     * Rules that depend on how the object was written.
     *
     * @param before the object as it is; null for a new one
     * @param version in which the client wrote it
     */
    default void validateWrite(ObjectNode object, ObjectNode before, String version, FieldErrors errors) {}

    /** Says what the writer of a new object should know of what {@link #prepareForCreate} is about to change. */
    default void remark(ObjectNode object, Consumer<String> warnings) {}

    /**
     * Says what the writer of an object that passed all rules should know all the same.
     *
     * @param before the object as it is; null for a new one
     * @param subresource the part the change came through; empty for the object itself
     */
    default void warn(ObjectNode object, ObjectNode before, String subresource, Consumer<String> warnings) {}

    /** Syntax of the name; most kinds take a DNS subdomain. */
    default java.util.Optional<String> nameError(String name) {
        return io.argosy.api.names.Names.subdomainError(name);
    }

    /** True where a changed spec counts as a new generation. */
    default boolean hasGeneration() {
        return false;
    }

    /** True where changed annotations count as a new generation too. */
    default boolean countsAnnotations() {
        return false;
    }

    /** True where changed labels count as a new generation too. */
    default boolean countsLabels() {
        return false;
    }

    /** True where who creates the object may say its status at once, as nodes do when they register. */
    default boolean keepsStatusOnCreate() {
        return false;
    }

    /** How long an object is kept after it was last written; null for as long as nobody deletes it. */
    default Duration life() {
        return null;
    }

    /** What a client is told whose deletion leaves the dependents, though it said nothing of them; empty for nothing. */
    default String orphaningWarning() {
        return "";
    }

    /**
     * How long an object lives on after its deletion was asked for, so that it can end in peace; 0 for at once.
     *
     * @param requested what the client asked for; null if it said nothing
     */
    default long gracePeriodSeconds(ObjectNode object, Long requested) {
        return 0;
    }

    /** What else happens to an object when its deletion begins. */
    default void beginDeletion(ObjectNode object) {}

    /** True while something beside finalizers keeps a deleted object. */
    default boolean holdsDeletion(ObjectNode object) {
        return false;
    }

    /** The object left the store: what it had reserved is free again. */
    default void released(ObjectNode object) {}
}
