package io.argosy.node.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection into a sandbox; closing the output half-closes it, closing the stream ends it. */
public interface DuplexStream extends AutoCloseable {
    InputStream input();

    OutputStream output();

    @Override
    void close() throws IOException;
}
