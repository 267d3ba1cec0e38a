package io.argosy.node.image;

/** Hears how far a pull, push, import or build has come; called from several threads, must return quickly. */
@FunctionalInterface
public interface Progress {
    Progress NONE = step -> {};

    void update(Step step);

    default void update(Phase phase, String subject, long done, long total) {
        update(new Step(phase, subject, done, total));
    }

    /** What is being done; the last step of a successful operation is {@link #DONE}. */
    enum Phase {
        RESOLVING,
        DOWNLOADING,
        UNPACKING,
        PRESENT,
        PUSHING,
        INSTALLING,
        PACKING,
        DONE
    }

    /**
     * One step forward.
     *
     * @param subject the image name, layer digest or package the step is about
     * @param done bytes (or items) done so far
     * @param total bytes (or items) in all, -1 where not known
     */
    record Step(Phase phase, String subject, long done, long total) {
        public boolean complete() {
            return total >= 0 && done >= total;
        }
    }
}
