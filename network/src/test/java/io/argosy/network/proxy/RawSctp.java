package io.argosy.network.proxy;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.argosy.api.net.Ip;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;

/**
 * The first packets of an SCTP association (RFC 9260), sent as bytes: most kernels have no SCTP sockets, but all that have nftables know
 * how to translate its addresses.
 *
 * @param namespace who sends
 * @param kind which packet: {@link #INIT} or {@link #INIT_ACK}
 */
record RawSctp(String namespace, int kind, int from, Ip to, int port) {
    static final int INIT = 1;
    static final int INIT_ACK = 2;

    private static final int PROTOCOL = 132;
    private static final int TAG = 0x41524759;
    private static final int CHUNK = 20;
    private static final int HEADER = 12;
    private static final int CHECKSUM_AT = 8;
    private static final int RAW = 3;
    private static final int NETWORK_NAMESPACE = 0x40000000;

    /** On a thread of its own, since it moves into the namespace. */
    void send() throws Exception {
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread sender = Thread.ofPlatform().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                int place = call(
                        "open", arena.allocateFrom("/run/netns/" + namespace).address(), 0, 0, 0, 0, 0);
                call("setns", place, NETWORK_NAMESPACE, 0, 0, 0, 0);
                call("close", place, 0, 0, 0, 0, 0);
                byte[] bytes = InetAddress.getByName(to.toString()).getAddress();
                MemorySegment address = address(arena, bytes);
                MemorySegment packet = arena.allocateFrom(JAVA_BYTE, packet());
                int socket = call("socket", family(bytes), RAW, PROTOCOL, 0, 0, 0);
                call("sendto", socket, packet.address(), packet.byteSize(), 0, address.address(), address.byteSize());
                call("close", socket, 0, 0, 0, 0, 0);
            } catch (Throwable e) {
                failed.set(e);
            }
        });
        sender.join();
        if (failed.get() != null) {
            throw new IOException("cannot send " + this, failed.get());
        }
    }

    private byte[] packet() {
        ByteBuffer packet = ByteBuffer.allocate(HEADER + CHUNK)
                .putShort((short) from)
                .putShort((short) port)
                .putInt(kind == INIT ? 0 : TAG)
                .putInt(0)
                .put((byte) kind)
                .put((byte) 0)
                .putShort((short) CHUNK)
                .putInt(TAG)
                .putInt(1 << 16)
                .putShort((short) 1)
                .putShort((short) 1)
                .putInt(1);
        CRC32C sum = new CRC32C();
        sum.update(packet.array());
        packet.order(ByteOrder.LITTLE_ENDIAN).putInt(CHECKSUM_AT, (int) sum.getValue());
        return packet.array();
    }

    private static int family(byte[] ip) {
        return ip.length == 4 ? 2 : 10;
    }

    /** As {@code connect} takes it; the port says nothing here. */
    private static MemorySegment address(Arena arena, byte[] ip) {
        int at = ip.length == 4 ? 4 : 8;
        MemorySegment address = arena.allocate(ip.length == 4 ? 16 : 28, Long.BYTES);
        address.set(JAVA_BYTE, 0, (byte) family(ip));
        MemorySegment.copy(ip, 0, address, JAVA_BYTE, at, ip.length);
        return address;
    }

    @SuppressWarnings("restricted") // native access is what this class is for
    private static int call(String function, long a, long b, long c, long d, long e, long f) throws Throwable {
        Linker linker = Linker.nativeLinker();
        var handle = linker.downcallHandle(
                linker.defaultLookup().findOrThrow(function),
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        int result = (int) handle.invokeExact(a, b, c, d, e, f);
        if (result < 0) {
            throw new IOException(function + " failed");
        }
        return result;
    }
}
