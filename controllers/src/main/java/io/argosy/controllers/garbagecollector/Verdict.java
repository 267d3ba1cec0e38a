package io.argosy.controllers.garbagecollector;

import java.util.ArrayList;
import java.util.List;

/** What becomes of an object, given what is known of its owners. */
sealed interface Verdict {
    /** It has an owner, or never had one. */
    record Keep() implements Verdict {}

    /** It has an owner, and references that lead nowhere or hold up an owner's deletion: those go. */
    record DropReferences(List<String> ownerUids) implements Verdict {}

    /** Nobody owns it any more. Unblocking first breaks a circle of objects that would wait for each other. */
    record Delete(String propagationPolicy, boolean unblockFirst) implements Verdict {}

    /** How an owner stands: there, gone, or only waiting for its dependents to go. */
    enum Standing {
        SOLID,
        ABSENT,
        WAITING
    }

    record Reference(String uid, Standing standing) {}

    /** The object's own part: what it holds, and what holds it. */
    record Situation(
            boolean hasDependents,
            boolean hasForegroundDependent,
            boolean orphanFinalizer,
            boolean foregroundFinalizer) {}

    static Verdict on(List<Reference> references, Situation situation) {
        if (references.isEmpty()) {
            return new Keep();
        }
        boolean owned = references.stream().anyMatch(reference -> reference.standing() == Standing.SOLID);
        if (owned) {
            List<String> useless = new ArrayList<>();
            for (Reference reference : references) {
                if (reference.standing() != Standing.SOLID) {
                    useless.add(reference.uid());
                }
            }
            return useless.isEmpty() ? new Keep() : new DropReferences(useless);
        }
        boolean awaited = references.stream().anyMatch(reference -> reference.standing() == Standing.WAITING);
        if (awaited && situation.hasDependents()) {
            return new Delete("Foreground", situation.hasForegroundDependent());
        }
        if (situation.orphanFinalizer()) {
            return new Delete("Orphan", false);
        }
        return new Delete(situation.foregroundFinalizer() ? "Foreground" : "Background", false);
    }
}
