package io.argosy.server.proxy;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.http.HttpReply;
import io.argosy.server.stream.RawTunnel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request on its way to a server in the cluster and its answer on the way back, on a connection of its own and the caller's thread. */
public final class Relay {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final int CONNECT_MILLIS = 30_000;
    private static final int CHUNK = 32 << 10;

    private final Destination to;
    private final Dial dial;
    private final Forwarded forwarded;
    private final HttpReply reply;
    private final EmbeddedChannel codec = new EmbeddedChannel(new HttpClientCodec());
    private Socket socket;
    private HttpReply.Stream answer;
    private Optional<Page> page = Optional.empty();
    private boolean interim;

    /** Opens the connection to where the request goes; what is thrown says why there is none. */
    @FunctionalInterface
    public interface Dial {
        Socket open() throws IOException;
    }

    private Relay(Destination to, Dial dial, Forwarded forwarded, HttpReply reply) {
        this.to = to;
        this.dial = dial;
        this.forwarded = forwarded;
        this.reply = reply;
    }

    /** Returns when the answer is through, or the connection has been handed over; refuses what cannot be reached. */
    public static void run(Destination to, Forwarded forwarded, HttpReply reply) throws InterruptedException {
        run(to, () -> connect(to), forwarded, reply);
    }

    /** The same, on a connection that somebody else knows how to open. */
    public static void run(Destination to, Dial dial, Forwarded forwarded, HttpReply reply)
            throws InterruptedException {
        new Relay(to, dial, forwarded, reply).run();
    }

    private void run() throws InterruptedException {
        boolean handedOver = false;
        try {
            socket = dial.open();
            reply.onGone(this::clientGone);
            send();
            handedOver = receive();
        } catch (SocketTimeoutException late) {
            throw new ApiException(Reason.Timeout, "Timeout: request did not complete within the allotted timeout");
        } catch (IOException failed) {
            if (answer == null) {
                throw unreachable(failed.getMessage());
            }
            answer.abort();
        } finally {
            codec.finishAndReleaseAll();
            if (!handedOver) {
                hangUp();
            }
        }
    }

    private static ApiException unreachable(String why) {
        return new ApiException(Reason.ServiceUnavailable, "error trying to reach service: " + why);
    }

    /** Told on a network thread, which must not wait for the last words of TLS. */
    private void clientGone() {
        Thread.ofVirtual().name("hang up").start(this::hangUp);
    }

    private void hangUp() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException alreadyGone) {
            LOG.debug("a proxied connection was gone already", alreadyGone);
        }
    }

    /** Certificates of pods and nodes are their own; upstream does not look at them either. */
    private static Socket connect(Destination to) throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(new InetSocketAddress(to.host(), to.port()), CONNECT_MILLIS);
            plain.setTcpNoDelay(true);
            if (!to.secure()) {
                return plain;
            }
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return tls.getSocketFactory().createSocket(plain, to.host(), to.port(), true);
        } catch (IOException failed) {
            plain.close();
            throw new IOException("dial tcp " + to + ": " + failed.getMessage(), failed);
        } catch (GeneralSecurityException impossible) {
            plain.close();
            throw new IOException("TLS is not to be had", impossible);
        }
    }

    private void send() throws IOException {
        codec.writeOutbound(forwarded.request(to));
        OutputStream out = socket.getOutputStream();
        for (ByteBuf bytes = codec.readOutbound(); bytes != null; bytes = codec.readOutbound()) {
            bytes.readBytes(out, bytes.readableBytes());
            bytes.release();
        }
        out.flush();
        if (forwarded.call().streamed()) {
            new Upload(forwarded.call().coming(), out, forwarded.chunked()).start(this::hangUp);
        }
    }

    /** True if the connection now belongs to a tunnel. */
    private boolean receive() throws IOException, InterruptedException {
        byte[] chunk = new byte[CHUNK];
        while (true) {
            int count = socket.getInputStream().read(chunk);
            if (count < 0) {
                codec.finish();
            } else {
                codec.writeInbound(Unpooled.copiedBuffer(chunk, 0, count));
            }
            for (Object part = codec.readInbound(); part != null; part = codec.readInbound()) {
                try {
                    if (part instanceof HttpResponse head && begin(head)) {
                        return true;
                    }
                    if (part instanceof HttpContent content && pass(content)) {
                        return false;
                    }
                } finally {
                    ReferenceCountUtil.release(part);
                }
            }
            if (count < 0) {
                throw new IOException("EOF");
            }
        }
    }

    /** True if the answer is that both sides speak another protocol from here on. */
    private boolean begin(HttpResponse head) throws IOException {
        if (head.decoderResult().isFailure()) {
            throw new IOException("malformed HTTP response");
        }
        int status = head.status().code();
        interim = status < 200;
        if (status == 101 && forwarded.wantsUpgrade()) {
            socket.setSoTimeout(0);
            RawTunnel.open(reply, head, rest(), socket);
            return true;
        }
        if (!interim) {
            socket.setSoTimeout(0); // what has begun may take its time
            HttpHeaders headers = forwarded.answer(head.headers(), to);
            page = forwarded.prefix().isEmpty()
                    ? Optional.empty()
                    : Page.of(headers, link -> forwarded.moved(link, to));
            answer = reply.stream(status, headers);
            answer.onGone(this::clientGone);
        }
        return false;
    }

    /** What has come behind the answer is of the other protocol already. */
    private byte[] rest() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        for (Object part = codec.readInbound(); part != null; part = codec.readInbound()) {
            if (part instanceof ByteBuf bytes) {
                rest.writeBytes(ByteBufUtil.getBytes(bytes));
            }
            ReferenceCountUtil.release(part);
        }
        return rest.toByteArray();
    }

    /** True at the end of the answer. */
    private boolean pass(HttpContent content) throws IOException, InterruptedException {
        boolean last = content instanceof LastHttpContent;
        if (interim) {
            interim = !last;
            return false;
        }
        if (content.decoderResult().isFailure()) {
            throw new IOException("malformed HTTP response");
        }
        byte[] bytes = ByteBufUtil.getBytes(content.content());
        byte[] shown = page.isPresent() ? page.get().next(bytes, last) : bytes;
        if (shown.length > 0 && !answer.write(shown)) {
            answer.abort();
            return true;
        }
        if (last) {
            answer.close();
        }
        return last;
    }
}
