package io.argosy.server.registry;

/** Something taken for an object that is about to be written; one of the two ends it. */
public interface Reservation {
    Reservation NONE = new Reservation() {
        @Override
        public void commit() {}

        @Override
        public void cancel() {}
    };

    /** The object was written: what its former state held and the new one does not is free again. */
    void commit();

    /** The object was not written after all. */
    void cancel();
}
