package io.argosy.server.registry;

/** Something taken for an object that is about to be written; {@link #commit} or {@link #cancel} ends it. */
public interface Reservation {
    Reservation NONE = new Reservation() {
        @Override
        public void commit() {}

        @Override
        public void cancel() {}
    };

    /**
     * The object is about to be written: what was taken is made known where other servers look. Throws if one of them was faster.
     *
     * @return true if another choice was as good, and the object has been changed
     */
    default boolean secure() {
        return false;
    }

    /** The object was written: what its former state held and the new one does not is free again. */
    void commit();

    /** The object was not written after all. */
    void cancel();
}
