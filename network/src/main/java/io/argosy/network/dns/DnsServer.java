package io.argosy.network.dns;

import io.argosy.api.time.Clock;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster's name server on UDP and TCP. A few plain threads answer what is in memory where they read it; what needs another
 * server goes on in a virtual thread, and only so many of those at a time.
 */
public final class DnsServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DnsServer.class);
    private static final int CACHE_ENTRIES = 4096;
    private static final int CACHE_SECONDS = 30;
    private static final int MOST_FETCHES = 512;
    private static final int MOST_CONNECTIONS = 256;
    private static final int IDLE_MILLIS = 10_000;
    private static final int RECEIVE_BUFFER = 1 << 20;
    private static final int MOST_TRIES = 10;

    private final List<InetSocketAddress> addresses;
    private final int threads;
    private final Responder responder;
    private final Predicate<InetAddress> clients;
    private final Semaphore fetches = new Semaphore(MOST_FETCHES);
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<InetSocketAddress> bound = new ArrayList<>();
    private final CountDownLatch zoned = new CountDownLatch(1);
    private volatile boolean closed;

    /**
     * Listens on all the addresses once started; a port of 0 takes a free one. Nothing is answered before the first zone, and
     * the upstreams are asked for the clients only.
     */
    public DnsServer(
            List<InetSocketAddress> addresses, Upstreams upstreams, Predicate<InetAddress> clients, Clock clock) {
        this.clients = clients;
        this.addresses = List.copyOf(addresses);
        this.threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 2);
        AnswerCache cache = new AnswerCache(clock, CACHE_ENTRIES, CACHE_SECONDS);
        this.responder = new Responder(cache, new Forwarder(upstreams, cache));
    }

    /** Answers from this zone from now on. */
    public void use(DnsZone zone) {
        responder.use(zone);
        zoned.countDown();
    }

    /** Opens the sockets; nothing stays open if one of them cannot be had. */
    public synchronized void start() throws IOException {
        try {
            for (InetSocketAddress address : addresses) {
                listen(address);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Where it listens, with the ports it got. */
    public synchronized List<InetSocketAddress> addresses() {
        return List.copyOf(bound);
    }

    private void listen(InetSocketAddress address) throws IOException {
        Sockets sockets = bind(address);
        open.add(sockets.tcp);
        open.addAll(sockets.udp);
        bound.add(new InetSocketAddress(address.getAddress(), sockets.tcp.getLocalPort()));
        for (DatagramChannel udp : sockets.udp) {
            Thread.ofPlatform().daemon().name("dns-udp").start(() -> onceZoned(() -> serve(udp)));
        }
        Thread.ofVirtual().name("dns-tcp").start(() -> onceZoned(() -> accept(sockets.tcp)));
    }

    /** The sockets of one address, all with the same port. */
    private record Sockets(ServerSocket tcp, List<DatagramChannel> udp) implements Closeable {
        @Override
        public void close() throws IOException {
            tcp.close();
            for (DatagramChannel channel : udp) {
                channel.close();
            }
        }
    }

    /** Where any port will do, one that is free for TCP may be somebody's for UDP; then another is tried. */
    private Sockets bind(InetSocketAddress address) throws IOException {
        for (int tried = 1; ; tried++) {
            Sockets sockets = new Sockets(new ServerSocket(), new ArrayList<>());
            try {
                bind(sockets, address);
                return sockets;
            } catch (IOException e) {
                sockets.close();
                if (address.getPort() != 0 || tried == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    private void bind(Sockets sockets, InetSocketAddress address) throws IOException {
        sockets.tcp.setReuseAddress(true);
        sockets.tcp.bind(address);
        InetSocketAddress exact = new InetSocketAddress(address.getAddress(), sockets.tcp.getLocalPort());
        for (int i = 0; i < threads; i++) {
            DatagramChannel udp = DatagramChannel.open();
            sockets.udp.add(udp);
            udp.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            if (threads > 1) {
                udp.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            try {
                udp.bind(exact);
            } catch (IOException e) {
                throw new IOException("cannot listen on " + exact + "/udp: " + e.getMessage(), e);
            }
        }
    }

    /** Until there is something to answer from, requests wait in the sockets. */
    private void onceZoned(Runnable work) {
        try {
            zoned.await();
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(DatagramChannel udp) {
        byte[] in = new byte[Wire.LARGEST_UDP];
        ByteBuffer reading = ByteBuffer.allocateDirect(in.length);
        ByteBuffer writing = ByteBuffer.allocateDirect(Wire.LARGEST_UDP);
        Query query = new Query();
        Response response = new Response(Wire.LARGEST_UDP);
        while (!closed) {
            try {
                reading.clear();
                InetSocketAddress client = (InetSocketAddress) udp.receive(reading);
                reading.flip();
                int length = reading.remaining();
                reading.get(in, 0, length);
                int size = responder.answer(in, length, query, response, false, clients.test(client.getAddress()));
                if (size == Responder.ELSEWHERE) {
                    if (fetches.tryAcquire()) {
                        fetch(query.copy(), udp, client);
                        continue;
                    }
                    size = responder.refuse(query, response, query.udpSize, Wire.SERVFAIL);
                }
                if (size > 0) {
                    writing.clear().put(response.bytes, 0, size).flip();
                    udp.send(writing, client);
                }
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) { // such as an answer to port 0; whoever sends them must not fill the log
                log.debug("a DNS request could not be answered", e);
            } catch (RuntimeException e) {
                log.warn("a DNS request could not be answered", e);
            }
        }
    }

    private void fetch(Query query, DatagramChannel udp, SocketAddress client) {
        Thread.ofVirtual().name("dns-fetch").start(() -> {
            try {
                Response response = new Response(query.udpSize);
                int size = responder.fetch(query, response, query.udpSize);
                udp.send(ByteBuffer.wrap(response.bytes, 0, size), client);
            } catch (ClosedChannelException e) {
                log.debug("closed before {} was answered", query.name());
            } catch (IOException | RuntimeException e) {
                log.warn("the DNS request for {} could not be answered", query.name(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                fetches.release();
            }
        });
    }

    private void accept(ServerSocket tcp) {
        while (!closed) {
            try {
                Socket socket = tcp.accept();
                if (connections.tryAcquire()) {
                    Thread.ofVirtual().name("dns-connection").start(() -> converse(socket));
                } else {
                    socket.close();
                }
            } catch (IOException e) {
                if (!closed) {
                    log.warn("a DNS connection could not be accepted", e);
                }
            }
        }
    }

    /** Answers the requests of one connection in turn, until the client has none left or is silent for too long. */
    private void converse(Socket socket) {
        try (socket) {
            socket.setSoTimeout(IDLE_MILLIS);
            socket.setTcpNoDelay(true);
            boolean known = clients.test(socket.getInetAddress());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            Query query = new Query();
            Response response = new Response(Wire.LARGEST_MESSAGE);
            while (!closed) {
                byte[] message = new byte[in.readUnsignedShort()];
                in.readFully(message);
                int size = responder.answer(message, message.length, query, response, true, known);
                if (size == Responder.ELSEWHERE) {
                    size = responder.fetch(query, response, Wire.LARGEST_MESSAGE);
                }
                if (size == Responder.SILENCE) {
                    return;
                }
                byte[] framed = new byte[size + 2];
                Wire.put16(framed, 0, size);
                System.arraycopy(response.bytes, 0, framed, 2, size);
                socket.getOutputStream().write(framed);
            }
        } catch (EOFException | SocketTimeoutException e) {
            log.trace("a DNS connection ended");
        } catch (IOException | RuntimeException e) {
            log.debug("a DNS connection broke", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.release();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        zoned.countDown();
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                log.warn("a DNS socket could not be closed", e);
            }
        }
        open.clear();
    }
}
