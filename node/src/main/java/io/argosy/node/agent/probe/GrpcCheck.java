package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import io.fabric8.kubernetes.api.model.GRPCAction;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One call of the gRPC health service, in clear HTTP/2. The JDK's client cannot begin HTTP/2 in the clear without an upgrade that
 * gRPC servers refuse, and a whole gRPC library for one fixed request would be out of proportion: the request has five known
 * headers and one message, and of the answer only the message matters.
 */
final class GrpcCheck {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int MAX_FRAME = 1 << 20;
    private static final int SERVING = 1;

    private GrpcCheck() {}

    static CheckResult run(Target target, GRPCAction action, Duration timeout, Clock clock) {
        String service = action.getService() == null ? "" : action.getService();
        String address = Target.joined(target.ip(), action.getPort());
        boolean connected = false;
        try (Deadline deadline = new Deadline(clock, timeout);
                Socket socket = new Socket()) {
            try {
                deadline.connect(socket, new InetSocketAddress(target.ip(), action.getPort()));
                connected = true;
                send(socket.getOutputStream(), address, service);
                int status = answer(new DataInputStream(socket.getInputStream()), socket.getOutputStream());
                return status == SERVING
                        ? CheckResult.OK
                        : CheckResult.failed("service unhealthy (responded with \"" + name(status) + "\")");
            } catch (IOException e) {
                if (connected && !deadline.isCause()) {
                    throw e;
                }
                return CheckResult.failed(
                        connected
                                ? "timeout: health rpc did not complete within " + timeout.toSeconds() + "s"
                                : "timeout: failed to connect service \"" + address + "\" within " + timeout.toSeconds()
                                        + "s: context deadline exceeded");
            }
        } catch (IOException e) {
            return CheckResult.failed("error: health rpc probe failed: " + e.getMessage());
        }
    }

    private static void send(OutputStream socket, String authority, String service) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(all);
        out.write(PREFACE);
        frame(out, SETTINGS, 0, 0, new byte[0]);
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/grpc.health.v1.Health/Check");
        header(headers, ":authority", authority);
        header(headers, "content-type", "application/grpc");
        header(headers, "te", "trailers");
        header(headers, "user-agent", "kube-probe/1.35");
        frame(out, HEADERS, END_HEADERS, 1, headers.toByteArray());
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(message);
        int length = name.length == 0 ? 0 : 1 + varintSize(name.length) + name.length;
        body.writeByte(0);
        body.writeInt(length);
        if (length > 0) {
            body.writeByte(0x0a);
            varint(message, name.length);
            body.write(name);
        }
        frame(out, DATA, END_STREAM, 1, message.toByteArray());
        socket.write(all.toByteArray());
        socket.flush();
    }

    /** A header as a literal that is never indexed; all of ours are shorter than 127 bytes or the service's address. */
    private static void header(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        text(out, name);
        text(out, value);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length < 127) {
            out.write(bytes.length);
        } else {
            out.write(127);
            varint(out, bytes.length - 127);
        }
        out.writeBytes(bytes);
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int left = value;
        while (left >= 128) {
            out.write((left & 127) | 128);
            left >>>= 7;
        }
        out.write(left);
    }

    private static int varintSize(int value) {
        return value < 128 ? 1 : value < 16384 ? 2 : 3;
    }

    private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] payload)
            throws IOException {
        out.writeByte(payload.length >>> 16);
        out.writeShort(payload.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
    }

    /** The serving status in the answer's message. */
    private static int answer(DataInputStream in, OutputStream socket) throws IOException {
        DataOutputStream out = new DataOutputStream(socket);
        while (true) {
            int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            in.readInt();
            if (length > MAX_FRAME) {
                throw new IOException("frame too large");
            }
            byte[] payload = in.readNBytes(length);
            switch (type) {
                case SETTINGS, PING -> {
                    if ((flags & ACK) == 0) {
                        frame(out, type, ACK, 0, type == PING ? payload : new byte[0]);
                        out.flush();
                    }
                }
                case DATA -> {
                    if (length > 0) {
                        return status(payload, (flags & PADDED) != 0 ? 1 : 0);
                    }
                }
                case HEADERS -> {
                    if ((flags & END_STREAM) != 0) {
                        throw new IOException("the server does not know the service, or has no health service");
                    }
                }
                case RESET, GOAWAY -> throw new IOException("the server closed the call");
                default -> {
                    // a frame that a single call may ignore, such as WINDOW_UPDATE
                }
            }
        }
    }

    private static int status(byte[] payload, int start) {
        int at = start + 5;
        return at + 1 < payload.length && payload[at] == 0x08 ? payload[at + 1] : 0;
    }

    private static String name(int status) {
        return switch (status) {
            case 0 -> "UNKNOWN";
            case 2 -> "NOT_SERVING";
            case 3 -> "SERVICE_UNKNOWN";
            default -> Integer.toString(status);
        };
    }
}
