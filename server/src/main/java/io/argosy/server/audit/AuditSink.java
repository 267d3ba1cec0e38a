package io.argosy.server.audit;

/** Where events go; takes them from any thread, and never lets a request fail. */
interface AuditSink extends AutoCloseable {
    /** The event's JSON, which nobody changes any more. */
    void write(byte[] event);

    @Override
    void close();
}
