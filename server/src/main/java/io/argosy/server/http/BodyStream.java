package io.argosy.server.http;

import java.io.IOException;

/** What is still to come of a request's body, for one reader. */
public interface BodyStream {
    /** Nothing: the body is complete. */
    BodyStream NONE = () -> null;

    /** The next bytes, which it may have to wait for; null at the end. Throws if the end will never come. */
    byte[] next() throws IOException, InterruptedException;
}
