package io.argosy.server.http;

import io.argosy.api.time.Clock;
import io.argosy.server.authn.Authenticator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The HTTPS door: TLS, HTTP/1.1 and HTTP/2 on one port. */
public final class HttpServer implements AutoCloseable {
    private static final int MAX_STREAMS = 1000;
    private static final int HANDSHAKE_SECONDS = 10;

    /** As upstream: the words of a command that kubectl runs in a container all stand in the path. */
    private static final int MAX_INITIAL_LINE = 1 << 20;

    private static final int MAX_HEADERS = 64 * 1024;

    /** Well below the number of files that the process may have open. */
    private static final int MAX_CONNECTIONS = 10_000;

    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Channel listening;
    private final int maxConnections;
    private final Duration patience;
    private final DateHeader date;

    /** Binds and serves as many clients at once as are good for the process. */
    public HttpServer(
            InetSocketAddress address,
            Supplier<SslContext> tls,
            Authenticator authenticator,
            HttpHandler handler,
            Clock clock)
            throws IOException {
        this(address, tls, authenticator, handler, clock, MAX_CONNECTIONS, Stall.PATIENCE);
    }

    /** Binds and serves; TLS is asked for its context at every connection, so that certificates can be renewed. */
    HttpServer(
            InetSocketAddress address,
            Supplier<SslContext> tls,
            Authenticator authenticator,
            HttpHandler handler,
            Clock clock,
            int maxConnections,
            Duration patience)
            throws IOException {
        this.maxConnections = maxConnections;
        this.patience = patience;
        this.date = new DateHeader(clock);
        this.loops = new MultiThreadIoEventLoopGroup(
                Math.max(2, Runtime.getRuntime().availableProcessors()), NioIoHandler.newFactory());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(64 * 1024, 256 * 1024))
                .childHandler(new Connection(tls, authenticator, handler));
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            if (bound.cause() instanceof BindException inUse) {
                throw new IOException(
                        "Port " + address.getPort() + " on " + address.getHostString() + " cannot be bound: "
                                + inUse.getMessage(),
                        inUse);
            }
            throw new IOException("Cannot listen on " + address, bound.cause());
        }
        this.listening = bound.channel();
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private final class Connection extends ChannelInitializer<Channel> {
        private final Supplier<SslContext> tls;
        private final Authenticator authenticator;
        private final HttpHandler handler;

        Connection(Supplier<SslContext> tls, Authenticator authenticator, HttpHandler handler) {
            this.tls = tls;
            this.authenticator = authenticator;
            this.handler = handler;
        }

        @Override
        protected void initChannel(Channel channel) {
            if (connections.size() >= maxConnections) {
                channel.close(); // those who are here go on
                return;
            }
            connections.add(channel);
            ChannelPipeline pipeline = channel.pipeline();
            var ssl = tls.get().newHandler(channel.alloc());
            ssl.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
            pipeline.addLast("tls", ssl);
            pipeline.addLast(new ByProtocol());
        }

        private RequestChannel requests() {
            return new RequestChannel(authenticator, handler, patience);
        }

        private final class ByProtocol extends ApplicationProtocolNegotiationHandler {
            ByProtocol() {
                super(ApplicationProtocolNames.HTTP_1_1);
            }

            @Override
            protected void configurePipeline(io.netty.channel.ChannelHandlerContext context, String protocol) {
                ChannelPipeline pipeline = context.pipeline();
                if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                    pipeline.addLast(Http2FrameCodecBuilder.forServer()
                            .initialSettings(Http2Settings.defaultSettings()
                                    .maxConcurrentStreams(MAX_STREAMS)
                                    .initialWindowSize(1 << 20)
                                    .maxHeaderListSize(MAX_INITIAL_LINE))
                            .build());
                    pipeline.addLast(new Http2MultiplexHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel stream) {
                            stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true));
                            stream.pipeline().addLast(date, requests());
                        }
                    }));
                } else {
                    pipeline.addLast("slowness", new Slowness());
                    pipeline.addLast(
                            "http",
                            new HttpServerCodec(new HttpDecoderConfig()
                                    .setMaxInitialLineLength(MAX_INITIAL_LINE)
                                    .setMaxHeaderSize(MAX_HEADERS)));
                    pipeline.addLast(date);
                    pipeline.addLast("requests", requests());
                }
            }

            @Override
            protected void handshakeFailure(io.netty.channel.ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        }
    }
}
