package io.argosy.server.webhook;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** TLS connections to webhooks: kept for the next call for a while, opened when there is none. Nothing is started before the first call. */
final class Connections implements AutoCloseable {
    private static final int MAX_IDLE = 16;
    private static final int IDLE_SECONDS = 60;
    private static final int MAX_AUTHORITIES = 256;

    private final int maxAnswer;
    private final Map<Target.Peer, ConcurrentLinkedDeque<Channel>> idle = new ConcurrentHashMap<>();
    private final Map<String, SslContext> trust = new ConcurrentHashMap<>();
    private EventLoopGroup loops;
    private boolean closed;

    /** Longer answers are not read to their end. */
    Connections(int maxAnswer) {
        this.maxAnswer = maxAnswer;
    }

    /** A connection from an earlier call; null if there is none. */
    Channel kept(Target.Peer peer) {
        ConcurrentLinkedDeque<Channel> channels = idle.get(peer);
        Channel channel = channels == null ? null : channels.pollFirst();
        while (channel != null && !channel.isActive()) {
            channel = channels.pollFirst();
        }
        return channel;
    }

    void keep(Target.Peer peer, Channel channel) {
        ConcurrentLinkedDeque<Channel> channels = idle.computeIfAbsent(peer, p -> new ConcurrentLinkedDeque<>());
        if (channels.size() < MAX_IDLE) {
            channels.addFirst(channel);
        } else {
            channel.close();
        }
    }

    /** Connects and shakes hands. */
    Channel open(Target.Peer peer, long millis) throws CallException, InterruptedException {
        SslHandler ssl = trusting(peer.authority()).newHandler(ByteBufAllocator.DEFAULT, peer.host(), peer.port());
        ssl.setHandshakeTimeoutMillis(Math.max(1, millis));
        Bootstrap bootstrap = new Bootstrap()
                .group(loops())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.max(1, millis))
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast("tls", ssl)
                                .addLast(new IdleStateHandler(0, 0, IDLE_SECONDS))
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(maxAnswer, true))
                                .addLast("exchange", new Exchange(() -> forget(peer, channel)));
                    }
                });
        ChannelFuture connecting = bootstrap.connect(peer.address()).await();
        if (!connecting.isSuccess()) {
            throw Failures.ofConnecting(peer, connecting.cause());
        }
        Channel channel = connecting.channel();
        var handshake = ssl.handshakeFuture().await();
        if (!handshake.isSuccess()) {
            channel.close();
            throw Failures.ofHandshake(handshake.cause());
        }
        return channel;
    }

    private void forget(Target.Peer peer, Channel channel) {
        idle.computeIfPresent(peer, (p, channels) -> {
            channels.remove(channel);
            return channels.isEmpty() ? null : channels;
        });
    }

    private SslContext trusting(String authority) throws CallException {
        SslContext known = trust.get(authority);
        if (known != null) {
            return known;
        }
        try {
            SslContextBuilder builder = SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
            if (!authority.isEmpty()) {
                builder.trustManager(CertificateBundle.read(authority).toArray(X509Certificate[]::new));
            }
            SslContext made = builder.build();
            if (trust.size() >= MAX_AUTHORITIES) {
                trust.clear();
            }
            trust.put(authority, made);
            return made;
        } catch (CertificateException unusable) {
            throw CallException.unattempted(unusable.getMessage());
        } catch (SSLException | IllegalArgumentException unusable) {
            throw CallException.unattempted("unable to load root certificates: " + unusable.getMessage());
        }
    }

    private synchronized EventLoopGroup loops() throws CallException {
        if (closed) {
            throw new CallException("the server is shutting down");
        }
        if (loops == null) {
            loops = new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("webhook-client", true), NioIoHandler.newFactory());
        }
        return loops;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (loops != null) {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
