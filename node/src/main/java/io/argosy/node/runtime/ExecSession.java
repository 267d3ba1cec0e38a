package io.argosy.node.runtime;

import java.io.InputStream;
import java.io.OutputStream;

/** The open streams of a command or container process. Streams that were not asked for are empty or swallow. */
public interface ExecSession extends AutoCloseable {

    /** To the process's stdin; closing it is end of file there. Every write arrives without a flush. */
    OutputStream stdin();

    InputStream stdout();

    /** Empty with a tty. */
    InputStream stderr();

    /** Tells the terminal its new size; without a tty nothing happens. */
    void resize(int columns, int rows);

    /**
     * Waits for the process to end and returns its exit code. A command that could not be started is a {@link
     * RuntimeFailure} of kind INVALID whose message says why.
     */
    int waitFor() throws InterruptedException;

    /** Ends the session; the streams end too. */
    @Override
    void close();
}
