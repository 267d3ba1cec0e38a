package io.argosy.node.agent.fake;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A web server without TLS: whoever begins with it is told in plain words that this is no good request. */
public final class PlainServer implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public PlainServer() throws IOException {
        Thread.ofVirtual().name("plain server").start(this::serve);
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** The lines of all requests that made sense. */
    public List<String> requests() {
        return requests;
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                answer(client);
            } catch (IOException clientOrServerGone) {
                Thread.onSpinWait();
            }
        }
    }

    private void answer(Socket client) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
        boolean plain = in.read() == 'G';
        if (plain) {
            requests.add("G" + in.readLine());
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                requests.add(line);
            }
        }
        String answer = "HTTP/1.1 " + (plain ? "200 OK" : "400 Bad Request") + "\r\n\r\n";
        client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
        client.shutdownOutput();
        in.skip(Long.MAX_VALUE); // or the answer would be lost with what was not read
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
