package io.argosy.server.stream;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** One HTTP request written by hand on a connection of its own, and the answer to it. */
final class RawUpgrade implements AutoCloseable {
    private final SSLSocket socket;
    private final String head;

    RawUpgrade(StreamServer server, String method, String subresourceAndQuery, List<String> headers)
            throws IOException {
        this(
                server.clientTls(),
                server.port(),
                method,
                "/api/v1/namespaces/default/pods/box/" + subresourceAndQuery,
                headers);
    }

    private RawUpgrade(SSLContext identity, int port, String method, String path, List<String> headers)
            throws IOException {
        socket = (SSLSocket) identity.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) WebSocketClient.PATIENCE_SECONDS * 1000);
        String request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                + String.join("\r\n", headers) + (headers.isEmpty() ? "\r\n" : "\r\n\r\n");
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        head = readHead(socket.getInputStream());
    }

    static RawUpgrade spdy(StreamServer server, String subresourceAndQuery, String... protocols) throws IOException {
        StringBuilder wishes = new StringBuilder();
        for (String protocol : protocols) {
            wishes.append("\r\nX-Stream-Protocol-Version: ").append(protocol);
        }
        return new RawUpgrade(
                server, "POST", subresourceAndQuery, List.of("Connection: Upgrade", "Upgrade: SPDY/3.1" + wishes));
    }

    /** To any path of any server, under an identity. */
    static RawUpgrade spdy(SSLContext identity, int port, String path, String protocol) throws IOException {
        return new RawUpgrade(
                identity,
                port,
                "POST",
                path,
                List.of("Connection: Upgrade", "Upgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: " + protocol));
    }

    private static String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the server closed after: " + head);
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    int status() {
        return Integer.parseInt(head.split(" ", 3)[1]);
    }

    String header(String name) {
        for (String line : head.split("\r\n", -1)) {
            if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    String body() throws IOException {
        return new String(
                socket.getInputStream().readNBytes(Integer.parseInt(header("Content-Length"))), StandardCharsets.UTF_8);
    }

    SpdyClient speakSpdy() throws IOException {
        return new SpdyClient(socket.getInputStream(), socket.getOutputStream());
    }

    /** Java's own client takes the name of this protocol for a mistake, so these few frames are made by hand. */
    SpdyClient speakSpdyInWebSocket() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        return new SpdyClient(new MessageInput(in), new MessageOutput(out));
    }

    /** The bytes of the server's binary messages. */
    private static final class MessageInput extends InputStream {
        private final DataInputStream frames;
        private long left;

        MessageInput(DataInputStream frames) {
            this.frames = frames;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            while (left == 0) {
                int kind = frames.readUnsignedByte();
                if (kind != 0x82) {
                    return -1;
                }
                int size = frames.readUnsignedByte();
                left = size == 126 ? frames.readUnsignedShort() : size == 127 ? frames.readLong() : size;
            }
            int count = frames.read(bytes, offset, (int) Math.min(length, left));
            left -= Math.max(0, count);
            return count;
        }
    }

    /** Makes a binary message of each write, masked with zeros as a client may. */
    private static final class MessageOutput extends OutputStream {
        private final DataOutputStream frames;

        MessageOutput(DataOutputStream frames) {
            this.frames = frames;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            frames.write(0x82);
            frames.write(0x80 | (length < 126 ? length : length < 1 << 16 ? 126 : 127));
            if (length >= 1 << 16) {
                frames.writeLong(length);
            } else if (length >= 126) {
                frames.writeShort(length);
            }
            frames.writeInt(0);
            frames.write(bytes, offset, length);
            frames.flush();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
