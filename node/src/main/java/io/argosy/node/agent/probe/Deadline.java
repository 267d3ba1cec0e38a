package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Ends a conversation that takes longer than it may, however lively it is: the socket is closed under who waits for it. */
final class Deadline implements AutoCloseable {
    private final int millis;
    private final Clock.Timer timer;
    private Socket guarded;
    private boolean passed;

    /** The limit is at most as long as a socket can wait. */
    Deadline(Clock clock, Duration limit) {
        millis = Math.toIntExact(limit.toMillis());
        timer = clock.schedule(limit, this::pass);
    }

    /** Connects the socket, which from now on lives no longer than the deadline. */
    void connect(Socket socket, java.net.SocketAddress address) throws IOException {
        synchronized (this) {
            if (passed) {
                throw new SocketTimeoutException("too slow");
            }
            guarded = socket;
        }
        socket.connect(address, millis);
        socket.setSoTimeout(millis);
    }

    /** Whether that is why the conversation broke off. */
    boolean isCause(IOException e) {
        synchronized (this) {
            return passed || e instanceof SocketTimeoutException;
        }
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
        timer.cancel();
    }
}
