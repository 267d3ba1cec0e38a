package io.argosy.bench.load;

import io.argosy.client.http.Kubeconfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An API server to send requests to over TLS, known by its kubeconfig; any Kubernetes will do. */
public final class Target implements AutoCloseable {
    static final String JSON = "application/json";

    private static final int THREADS = 2;
    private static final int CONNECT_MILLIS = 10_000;

    private final String host;
    private final int port;
    private final SslContext tls;
    private final SslContext anonymousTls;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory());

    private Target(Kubeconfig config) throws IOException {
        this.host = config.server().getHost();
        this.port = config.server().getPort();
        try (InputStream ca = pem(config.caPem());
                InputStream certificate = pem(config.clientCertificatePem());
                InputStream key = pem(config.clientKeyPem())) {
            this.tls = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.OPENSSL)
                    .trustManager(ca)
                    .keyManager(certificate, key)
                    .build();
        }
        try (InputStream ca = pem(config.caPem())) {
            this.anonymousTls = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.OPENSSL)
                    .trustManager(ca)
                    .build();
        }
    }

    public static Target of(Path kubeconfig) throws IOException {
        return of(Kubeconfig.read(kubeconfig));
    }

    public static Target of(Kubeconfig config) throws IOException {
        return new Target(config);
    }

    private static InputStream pem(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A channel with its handshake done and these handlers behind TLS. */
    Channel connect(ChannelHandler... handlers) throws IOException, InterruptedException {
        return connect(tls, handlers);
    }

    /** The same by a client that shows no certificate: all that health checks need. */
    Channel connectAnonymously(ChannelHandler... handlers) throws IOException, InterruptedException {
        return connect(anonymousTls, handlers);
    }

    private Channel connect(SslContext context, ChannelHandler... handlers) throws IOException, InterruptedException {
        var connecting = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(context.newHandler(channel.alloc(), host, port))
                                .addLast(handlers);
                    }
                })
                .connect(host, port)
                .await();
        if (!connecting.isSuccess()) {
            throw new IOException(host + ":" + port + ": " + connecting.cause().getMessage(), connecting.cause());
        }
        var handshake = connecting
                .channel()
                .pipeline()
                .get(SslHandler.class)
                .handshakeFuture()
                .await();
        if (!handshake.isSuccess()) {
            throw new IOException("TLS with " + host + ":" + port + ": " + handshake.cause(), handshake.cause());
        }
        return connecting.channel();
    }

    /** The head of a request, keep-alive, that a body of this many bytes may follow. */
    String head(String method, String path, int bodyLength) {
        return head(method, path, JSON, bodyLength);
    }

    /** The same, of a request that wants its answer in this form. */
    String head(String method, String path, String accept, int bodyLength) {
        String head = method + " " + path + " HTTP/1.1\r\nHost: " + host + ":" + port + "\r\nAccept: " + accept
                + "\r\nUser-Agent: argosy-bench\r\n";
        if (bodyLength > 0) {
            head += "Content-Type: application/json\r\nContent-Length: " + bodyLength + "\r\n";
        }
        return head + "\r\n";
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
