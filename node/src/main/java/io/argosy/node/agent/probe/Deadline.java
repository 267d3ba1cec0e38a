package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import io.argosy.node.time.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Ends a conversation that takes longer than it may, however lively it is: the socket is closed under who waits for it. Pauses of our own
 * do not count.
 */
final class Deadline implements AutoCloseable {
    private final Patience patience;
    private Socket guarded;
    private boolean passed;

    Deadline(Clock clock, Duration limit) {
        patience = Patience.of(clock, limit, this::pass);
    }

    /** Connects the socket, which from now on lives no longer than the deadline. */
    void connect(Socket socket, InetSocketAddress address) throws IOException {
        synchronized (this) {
            if (passed) {
                throw new SocketTimeoutException("too slow");
            }
            guarded = socket;
        }
        try {
            socket.connect(address);
        } catch (IOException e) {
            throw new IOException(SocketWords.dialling(address, e), e);
        }
    }

    /** Whether that is why the conversation broke off. */
    synchronized boolean isCause() {
        return passed;
    }

    private synchronized void pass() {
        passed = true;
        try {
            if (guarded != null) {
                guarded.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        patience.close();
    }
}
