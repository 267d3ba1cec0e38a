package io.argosy.server;

import io.argosy.api.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A TLS connection on which a test writes what no proper client would. */
final class RawConnection implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;

    private final SSLSocket socket;
    private final InputStream in;

    /** What came back; the status is 0 if the server closed the connection without a word. */
    record Answer(int status, String head, String body) {
        boolean isStatusObject() throws IOException {
            return Json.decode(body.getBytes(StandardCharsets.UTF_8))
                    .path("kind")
                    .asText()
                    .equals("Status");
        }
    }

    RawConnection(TestServer server) throws Exception {
        socket = (SSLSocket) server.identity(TestServer.ADMIN)
                .getSocketFactory()
                .createSocket("127.0.0.1", server.address().getPort());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = socket.getInputStream();
    }

    RawConnection send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawConnection send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Says that nothing more will come. */
    RawConnection finish() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    Answer read() throws IOException {
        try {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                if (next < 0) {
                    return new Answer(0, head.toString(), "");
                }
                head.append((char) next);
            }
            int status = Integer.parseInt(head.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
            return new Answer(status, head.toString(), new String(body(head.toString()), StandardCharsets.UTF_8));
        } catch (javax.net.ssl.SSLException | java.net.SocketException closed) {
            return new Answer(0, "", "");
        }
    }

    private byte[] body(String head) throws IOException {
        int length = 0;
        for (String line : head.split("\r\n")) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(in.readNBytes(length));
        return body.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
