package io.argosy.store.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A line to a server that a test can cut and mend. */
final class CutLine implements AutoCloseable {
    private final ServerSocket door;
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    CutLine(String endpoint) throws IOException {
        target = new InetSocketAddress(
                InetAddress.getLoopbackAddress(), URI.create(endpoint).getPort());
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            while (!door.isClosed()) {
                accept();
            }
        });
    }

    private void accept() {
        try {
            Socket client = door.accept();
            open.add(client);
            if (cut) {
                end(client);
            } else {
                join(client);
            }
        } catch (IOException closed) {
            // the loop sees whether it was the door
        }
    }

    String endpoint() {
        return "http://127.0.0.1:" + door.getLocalPort();
    }

    void cut() {
        cut = true;
        open.forEach(CutLine::end);
    }

    void mend() {
        cut = false;
    }

    private void join(Socket client) throws IOException {
        Socket server = new Socket(target.getAddress(), target.getPort());
        open.add(server);
        Thread.ofVirtual().start(() -> pump(client, server));
        Thread.ofVirtual().start(() -> pump(server, client));
        if (cut) {
            cut();
        }
    }

    private static void pump(Socket from, Socket to) {
        byte[] buffer = new byte[16 << 10];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (IOException broken) {
            end(to);
        }
        end(from);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }
}
