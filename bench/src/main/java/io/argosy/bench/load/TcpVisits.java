package io.argosy.bench.load;

import io.argosy.bench.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Short visits to an HTTP server over plain TCP: connect, ask, read the answer to its end, close; one after the other for each visitor. */
public final class TcpVisits {
    private static final byte[] REQUEST = "GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int LIMIT_MILLIS = 10_000;

    private TcpVisits() {}

    /**
     * How it went.
     *
     * @param connect how long it took until a connection stood
     * @param visit how long it took until the answer was there
     */
    public record Outcome(double perSecond, Samples connect, Samples visit) {}

    public static Outcome run(InetSocketAddress server, int visitors, Duration time)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long end = begin + time.toNanos();
        List<Long> connects = new ArrayList<>();
        List<Long> visits = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<List<long[]>>> running = new ArrayList<>();
            for (int i = 0; i < visitors; i++) {
                running.add(threads.submit(() -> visitUntil(server, end)));
            }
            for (Future<List<long[]>> visitor : running) {
                for (long[] visit : visitor.get()) {
                    connects.add(visit[0]);
                    visits.add(visit[1]);
                }
            }
        } catch (ExecutionException failed) {
            throw new IOException("a visit to " + server + " failed: " + failed.getCause(), failed.getCause());
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Outcome(visits.size() / seconds, samples(connects), samples(visits));
    }

    private static List<long[]> visitUntil(InetSocketAddress server, long end) throws IOException {
        List<long[]> visits = new ArrayList<>();
        while (System.nanoTime() < end) {
            visits.add(visit(server));
        }
        return visits;
    }

    /** One visit: nanoseconds until it was connected, and until the answer was read. */
    public static long[] visit(InetSocketAddress server) throws IOException {
        long begin = System.nanoTime();
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(server, LIMIT_MILLIS);
            long connected = System.nanoTime();
            socket.getOutputStream().write(REQUEST);
            InputStream in = socket.getInputStream();
            if (in.readAllBytes().length == 0) {
                throw new IOException("no answer");
            }
            return new long[] {connected - begin, System.nanoTime() - begin};
        }
    }

    private static Samples samples(List<Long> nanos) {
        return Samples.of(nanos.stream().mapToLong(Long::longValue).toArray());
    }
}
