package io.argosy.network.dns;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;

/** Another name server on loopback that says what the test wants; null makes it silent. */
final class FakeUpstream implements AutoCloseable {
    final AtomicInteger asked = new AtomicInteger();
    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final UnaryOperator<Message> overUdp;
    private final UnaryOperator<Message> overTcp;

    FakeUpstream(UnaryOperator<Message> overUdp, UnaryOperator<Message> overTcp) throws IOException {
        this.overUdp = overUdp;
        this.overTcp = overTcp;
        ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        DatagramSocket beside = beside(listening);
        while (beside == null) { // the port is somebody's for UDP
            listening.close();
            listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            beside = beside(listening);
        }
        this.tcp = listening;
        this.udp = beside;
        Thread.ofVirtual().start(this::serveUdp);
        Thread.ofVirtual().start(this::serveTcp);
    }

    private static DatagramSocket beside(ServerSocket tcp) throws IOException {
        try {
            return new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), tcp.getLocalPort()));
        } catch (BindException e) {
            return null;
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), udp.getLocalPort());
    }

    /** An answer in the making to the question. */
    static Message reply(Message query) {
        Message reply = new Message(query.getHeader().getID());
        reply.getHeader().setFlag(Flags.QR);
        reply.getHeader().setFlag(Flags.RA);
        reply.addRecord(query.getQuestion(), Section.QUESTION);
        return reply;
    }

    private void serveUdp() {
        byte[] buffer = new byte[4096];
        while (!udp.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                asked.incrementAndGet();
                Message answer = overUdp.apply(new Message(Arrays.copyOf(buffer, packet.getLength())));
                if (answer != null) {
                    byte[] wire = answer.toWire();
                    udp.send(new DatagramPacket(wire, wire.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                if (!udp.isClosed()) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private void serveTcp() {
        while (!tcp.isClosed()) {
            try (Socket socket = tcp.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] message = new byte[in.readUnsignedShort()];
                in.readFully(message);
                byte[] wire = overTcp.apply(new Message(message)).toWire();
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeShort(wire.length);
                out.write(wire);
            } catch (IOException e) {
                if (!tcp.isClosed()) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        udp.close();
        tcp.close();
    }
}
