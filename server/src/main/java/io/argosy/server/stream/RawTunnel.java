package io.argosy.server.stream;

import io.argosy.server.http.HttpReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that passes bytes both ways between a client and a server in the cluster, whatever they mean, each as fast as the other takes them. */
public final class RawTunnel extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(RawTunnel.class);
    private static final int CHUNK = 32 << 10;
    private static final byte[] END = {};

    private final Socket server;
    private final LinkedBlockingQueue<byte[]> toServer = new LinkedBlockingQueue<>();

    private RawTunnel(Socket server) {
        this.server = server;
    }

    /** Tells the client that the server agreed, and lets the two talk; the server's first bytes may have come already. */
    public static void open(HttpReply reply, HttpResponse agreed, byte[] first, Socket server) {
        RawTunnel tunnel = new RawTunnel(server);
        DefaultFullHttpResponse answer =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, agreed.status(), Unpooled.EMPTY_BUFFER);
        answer.headers().set(agreed.headers());
        Handover.raw(reply, answer, tunnel, first, tunnel::hangUp);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        Channel client = context.channel();
        client.config().setAutoRead(false);
        client.read();
        Thread.ofVirtual().name("to server").start(() -> feed(client));
        Thread.ofVirtual().name("from server").start(() -> fetch(client));
    }

    private void feed(Channel client) {
        try {
            OutputStream out = server.getOutputStream();
            for (byte[] bytes = toServer.take(); bytes != END; bytes = toServer.take()) {
                out.write(bytes);
                out.flush();
                client.read();
            }
            server.shutdownOutput();
        } catch (IOException gone) {
            LOG.debug("a proxied connection ended", gone);
            client.close();
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        }
    }

    private void fetch(Channel client) {
        byte[] chunk = new byte[CHUNK];
        try (InputStream in = server.getInputStream()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                client.writeAndFlush(Unpooled.copiedBuffer(chunk, 0, count)).await();
            }
        } catch (IOException gone) {
            LOG.debug("a proxied connection ended", gone);
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        } finally {
            client.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            toServer.add(ByteBufUtil.getBytes(bytes));
        } else {
            context.read();
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        toServer.add(END);
        hangUp();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("a proxied connection broke off", cause);
        context.close();
    }

    private void hangUp() {
        Thread.ofVirtual().name("hang up").start(() -> {
            try {
                server.close();
            } catch (IOException alreadyGone) {
                LOG.debug("a proxied connection was gone already", alreadyGone);
            }
        });
    }
}
