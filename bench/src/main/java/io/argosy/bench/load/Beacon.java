package io.argosy.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server on this machine that tells everybody who connects which one it is. */
public final class Beacon implements AutoCloseable {
    private static final int BACKLOG = 128;
    private static final int LIMIT_MILLIS = 1_000;

    private final ServerSocket socket = new ServerSocket(0, BACKLOG);

    public Beacon(int sign) throws IOException {
        Thread.ofPlatform().daemon().name("beacon-" + sign).start(() -> serve(sign));
    }

    private void serve(int sign) {
        while (true) {
            try (Socket visitor = socket.accept()) {
                visitor.getOutputStream().write(sign);
            } catch (IOException gone) {
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** The sign of the one that answers at this address; -1 if none does. */
    public static int at(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(address, LIMIT_MILLIS);
            try (InputStream in = socket.getInputStream()) {
                return in.read();
            }
        } catch (IOException nobody) {
            return -1;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
