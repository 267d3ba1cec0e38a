package io.argosy.network.dns;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks other servers, one after the other, and keeps what they say; the same question asked twice at once goes out once. */
final class Forwarder {
    private static final Logger log = LoggerFactory.getLogger(Forwarder.class);
    private static final int TRY_MILLIS = 1_500;
    private static final int ROUNDS = 2;
    private static final long TOTAL_MILLIS = 4_500;
    private static final long FAILURE_SECONDS = 2;

    private final Upstreams upstreams;
    private final AnswerCache cache;
    private final SecureRandom random = new SecureRandom();
    private final ConcurrentMap<AnswerCache.Key, CompletableFuture<ForeignAnswer>> asking = new ConcurrentHashMap<>();
    /** The server that answered last is asked first. */
    private volatile InetSocketAddress favourite;

    Forwarder(Upstreams upstreams, AnswerCache cache) {
        this.upstreams = upstreams;
        this.cache = cache;
    }

    /** What is kept of the answer, else that of the first server that gives one; null if none does. Blocks. */
    AnswerCache.Found resolve(Query query) throws InterruptedException {
        AnswerCache.Found kept = cache.find(query);
        if (kept != null) {
            return kept;
        }
        ForeignAnswer answer = fetch(query);
        return answer == null ? null : new AnswerCache.Found(answer, 0);
    }

    private ForeignAnswer fetch(Query query) throws InterruptedException {
        AnswerCache.Key key = AnswerCache.Key.lasting(query);
        CompletableFuture<ForeignAnswer> mine = new CompletableFuture<>();
        CompletableFuture<ForeignAnswer> other = asking.putIfAbsent(key, mine);
        if (other != null) {
            try {
                return other.get(TOTAL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                log.debug("gave up waiting for {}", key, e);
                return null;
            }
        }
        ForeignAnswer answer = null;
        try {
            answer = ask(query);
            if (answer != null) {
                cache.put(key, answer, answer.rcode() == Wire.SERVFAIL ? FAILURE_SECONDS : answer.lifetime());
            }
            return answer;
        } finally {
            asking.remove(key);
            mine.complete(answer);
        }
    }

    private ForeignAnswer ask(Query query) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TOTAL_MILLIS);
        ForeignAnswer failure = null;
        for (int round = 0; round < ROUNDS; round++) {
            for (InetSocketAddress server : inOrder()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return failure;
                }
                try {
                    ForeignAnswer answer = ask(query, server, (int) Math.min(TRY_MILLIS, left));
                    if (answer.rcode() == Wire.NOERROR || answer.rcode() == Wire.NXDOMAIN) {
                        favourite = server;
                        return answer;
                    }
                    failure = answer;
                } catch (IOException e) {
                    log.debug("name server {} did not answer: {}", server, e.toString());
                }
            }
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    private List<InetSocketAddress> inOrder() {
        List<InetSocketAddress> servers = upstreams.servers();
        InetSocketAddress first = favourite;
        if (servers.size() < 2 || first == null || servers.getFirst().equals(first) || !servers.contains(first)) {
            return servers;
        }
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(first), servers.stream().filter(s -> !s.equals(first)))
                .toList();
    }

    private ForeignAnswer ask(Query query, InetSocketAddress server, int millis) throws IOException {
        int id = random.nextInt(0x10000);
        byte[] request = request(query, id);
        ForeignAnswer answer = overUdp(request, query, id, server, millis);
        return answer.truncated() ? overTcp(request, query, id, server, millis) : answer;
    }

    /** From a port of its own for each question, which makes forged answers hard. */
    private static ForeignAnswer overUdp(byte[] request, Query query, int id, InetSocketAddress server, int millis)
            throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.send(new DatagramPacket(request, request.length));
            DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (true) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new IOException("no sound answer in time");
                }
                socket.setSoTimeout((int) left);
                packet.setLength(4096);
                socket.receive(packet);
                ForeignAnswer answer = ForeignAnswer.parse(packet.getData(), packet.getLength(), id, query);
                if (answer != null) {
                    return answer;
                }
            }
        }
    }

    private static ForeignAnswer overTcp(byte[] request, Query query, int id, InetSocketAddress server, int millis)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server, millis);
            socket.setSoTimeout(millis);
            byte[] framed = new byte[request.length + 2];
            Wire.put16(framed, 0, request.length);
            System.arraycopy(request, 0, framed, 2, request.length);
            socket.getOutputStream().write(framed);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] message = new byte[in.readUnsignedShort()];
            in.readFully(message);
            ForeignAnswer answer = ForeignAnswer.parse(message, message.length, id, query);
            if (answer == null) {
                throw new IOException("not an answer to what was asked");
            }
            return answer;
        }
    }

    private static byte[] request(Query query, int id) {
        int at = query.questionEnd;
        byte[] request = new byte[at + Wire.OPT_SIZE];
        System.arraycopy(query.data, Wire.HEADER, request, Wire.HEADER, at - Wire.HEADER);
        Wire.put16(request, 0, id);
        Wire.put16(request, 2, Wire.FLAG_RD | (query.flags & Wire.FLAG_CD));
        Wire.put16(request, 4, 1);
        Wire.put16(request, 10, 1);
        Wire.put16(request, at + 1, Wire.OPT);
        Wire.put16(request, at + 3, Wire.LARGEST_UDP);
        Wire.put16(request, at + 7, query.dnssecOk ? 0x8000 : 0);
        return request;
    }
}
