package io.argosy.bench.load;

import io.argosy.bench.Samples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Questions for one name over UDP, so many under way on each of a number of sockets. */
public final class DnsQueries {
    private static final int LIMIT_MILLIS = 2_000;
    private static final int LARGEST = 512;

    private final InetSocketAddress server;
    private final byte[] question;

    /** Asks for the IPv4 addresses of the name. */
    public DnsQueries(InetSocketAddress server, String name) {
        this.server = server;
        this.question = question(name);
    }

    /** How it went; lost are questions that were never answered. */
    public record Outcome(long answered, long lost, Duration took, Samples latency) {
        public double perSecond() {
            return answered / (took.toNanos() / 1e9);
        }
    }

    public Outcome run(int sockets, int underWay, Duration time) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long end = begin + time.toNanos();
        long lost = 0;
        List<long[]> all = new ArrayList<>();
        try (ExecutorService threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Future<Asker>> askers = new ArrayList<>();
            for (int i = 0; i < sockets; i++) {
                askers.add(threads.submit(() -> new Asker(underWay).askUntil(end)));
            }
            for (Future<Asker> asker : askers) {
                all.add(asker.get().latencies());
                lost += asker.get().lost;
            }
        } catch (ExecutionException failed) {
            throw new IOException("asking " + server + " failed: " + failed.getCause(), failed.getCause());
        }
        long[] nanos = all.stream().flatMapToLong(Arrays::stream).toArray();
        return new Outcome(nanos.length, lost, Duration.ofNanos(System.nanoTime() - begin), Samples.of(nanos));
    }

    private static byte[] question(String name) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : name.split("\\.")) {
            bytes.write(label.length());
            bytes.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        bytes.writeBytes(new byte[] {0, 0, 1, 0, 1});
        return bytes.toByteArray();
    }

    /** One socket. The number of a question says in which of its places it is. */
    private final class Asker {
        private final long[] sent;
        private final byte[] out = question.clone();
        private final DatagramPacket in = new DatagramPacket(new byte[LARGEST], LARGEST);
        private long[] nanos = new long[1 << 16];
        private int answered;
        private long lost;

        Asker(int underWay) {
            sent = new long[underWay];
        }

        Asker askUntil(long end) throws IOException {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.connect(server);
                socket.setSoTimeout(LIMIT_MILLIS);
                for (int place = 0; place < sent.length; place++) {
                    ask(socket, place);
                }
                while (System.nanoTime() < end) {
                    answer(socket);
                }
                return this;
            }
        }

        private void ask(DatagramSocket socket, int place) throws IOException {
            ByteBuffer.wrap(out).putShort(0, (short) place);
            sent[place] = System.nanoTime();
            socket.send(new DatagramPacket(out, out.length));
        }

        /** Takes an answer and asks again; when none comes, all that are under way are asked again. */
        private void answer(DatagramSocket socket) throws IOException {
            try {
                socket.receive(in);
            } catch (SocketTimeoutException silence) {
                lost += sent.length;
                for (int place = 0; place < sent.length; place++) {
                    ask(socket, place);
                }
                return;
            }
            ByteBuffer answer = ByteBuffer.wrap(in.getData(), 0, in.getLength());
            int code = answer.get(3) & 15;
            int records = answer.getShort(6);
            if (code != 0 || records == 0) {
                throw new IOException("answer with code " + code + " and " + records + " records");
            }
            int place = answer.getShort(0) & 0xffff;
            if (answered == nanos.length) {
                nanos = Arrays.copyOf(nanos, answered * 2);
            }
            nanos[answered++] = System.nanoTime() - sent[place];
            ask(socket, place);
        }

        long[] latencies() {
            return Arrays.copyOf(nanos, answered);
        }
    }
}
