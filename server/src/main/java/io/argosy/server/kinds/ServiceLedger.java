package io.argosy.server.kinds;

/** Where it stands which Service holds which address and which node port; what stands there for one, no server gives to another. */
public interface ServiceLedger {
    /** How an entry went. */
    enum Entry {
        /** It stands there now. */
        MADE,
        /** It stood there for the same Service, which was never written. */
        FOUND,
        /** It stands there for another. */
        TAKEN
    }

    Entry enter(String address, String namespace, String service);

    Entry enter(int nodePort, String namespace, String service);

    /** Takes out what stands there for this Service; what stands there for another stays. */
    void strike(String address, String namespace, String service);

    void strike(int nodePort, String namespace, String service);
}
