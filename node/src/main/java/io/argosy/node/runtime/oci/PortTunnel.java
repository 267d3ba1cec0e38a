package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * A connection to a port of a pod's localhost. A socket belongs to the network that its maker stood in, so one thread
 * steps into the pod to make it, and from then on it is a socket like any other: no helper process carries the bytes.
 */
final class PortTunnel implements DuplexStream {
    private final SocketChannel channel;

    private PortTunnel(SocketChannel channel) {
        this.channel = channel;
    }

    /** Without a network the host's own is meant. */
    static PortTunnel open(Optional<Path> network, int port) throws IOException {
        try {
            return new PortTunnel(connect(network, StandardProtocolFamily.INET, new byte[] {127, 0, 0, 1}, port));
        } catch (IOException e) {
            byte[] loopback6 = new byte[16];
            loopback6[15] = 1;
            try {
                return new PortTunnel(connect(network, StandardProtocolFamily.INET6, loopback6, port));
            } catch (IOException | UnsupportedOperationException second) {
                e.addSuppressed(second);
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.FAILED,
                        "failed to connect to localhost:" + port + " inside the pod, IPv4: dial tcp4 127.0.0.1:" + port
                                + ": connect: " + small(e) + " IPv6 dial tcp6 [::1]:" + port + ": connect: "
                                + small(second),
                        e);
            }
        }
    }

    /** The system's words as people know and search them, which Java begins in capitals. */
    private static String small(Exception e) {
        return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    }

    private static SocketChannel connect(Optional<Path> network, ProtocolFamily family, byte[] address, int port)
            throws IOException {
        SocketChannel socket = network.isPresent()
                ? PodNamespaces.inNetwork(network.get(), () -> SocketChannel.open(family))
                : SocketChannel.open(family);
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByAddress(address), port));
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public InputStream input() {
        try {
            return channel.socket().getInputStream();
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "the connection is cut", e);
        }
    }

    @Override
    public OutputStream output() {
        try {
            return new FilterOutputStream(channel.socket().getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    out.write(bytes, offset, length);
                }

                @Override
                public void close() throws IOException {
                    if (channel.isOpen()) {
                        channel.shutdownOutput();
                    }
                }
            };
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "the connection is cut", e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
