package io.argosy.server.stream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection that carries several streams, whatever the protocol: it makes writers wait while the client is slow, stops reading
 * while we are, and knows when the client is gone. The protocols are its subclasses; methods not marked otherwise may be called from any thread.
 */
abstract class Carrier extends ChannelInboundHandlerAdapter {
    /** What may wait in memory of one client's input before we stop reading from it, and when we go on. */
    private static final int UNREAD_HIGH = 1 << 20;

    private static final int UNREAD_LOW = 256 * 1024;

    /** While we do not read, only a write can tell us that the client is gone. */
    private static final int PROBE_SECONDS = 2;

    /** How long a client has to read the last bytes and hang up by itself. */
    private static final int FAREWELL_SECONDS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(Carrier.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition writable = lock.newCondition();
    private final AtomicInteger unread = new AtomicInteger();
    private volatile boolean paused;
    private volatile boolean gone;
    private Runnable onGone = () -> {};

    // on the network thread only
    private boolean probing;
    private boolean finishing;

    /** Set when the connection has been handed over. */
    private volatile ChannelHandlerContext context;

    /** The streams that are open, for the network thread. */
    abstract Collection<ClientStream> streams();

    /** One message with a stream's bytes; the array is the message's own from {@link #headroom} on. */
    abstract Object message(ClientStream stream, byte[] bytes);

    /** Bytes to leave free at the beginning of the array that {@link #message} is given. */
    abstract int headroom();

    /** Tells the client that nothing more comes on this stream; on the network thread. */
    abstract void sendEnd(ClientStream stream);

    /** A message that a living client answers; on the network thread. */
    abstract Object probe();

    /** Says goodbye, so that the client hangs up; on the network thread. */
    abstract void sayGoodbye();

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
    }

    final ChannelHandlerContext context() {
        return context;
    }

    /** What to do when the client goes away, at once if it has gone already; runs on a thread of its own. */
    final void onGone(Runnable action) {
        lock.lock();
        try {
            onGone = action;
            if (!gone) {
                return;
            }
        } finally {
            lock.unlock();
        }
        Thread.ofVirtual().name("client gone").start(action);
    }

    final void send(ClientStream stream, byte[] bytes, int offset, int length) throws IOException {
        awaitWritable();
        byte[] own = new byte[headroom() + length];
        System.arraycopy(bytes, offset, own, headroom(), length);
        context.writeAndFlush(message(stream, own));
    }

    final void end(ClientStream stream) {
        onNetworkThread(() -> sendEnd(stream));
    }

    private void awaitWritable() throws IOException {
        Channel channel = context.channel();
        if (!gone && channel.isWritable()) {
            return;
        }
        try {
            lock.lockInterruptibly();
            try {
                while (!gone && !channel.isWritable()) {
                    writable.await();
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the client was slow");
        }
        if (gone) {
            throw new IOException("the client is gone");
        }
    }

    /** All has been said: lets the client read the rest and hang up, and does it for the client if that takes too long. */
    final void finish() {
        onNetworkThread(() -> {
            if (finishing) {
                return;
            }
            finishing = true;
            streams().forEach(ClientStream::discard);
            context.channel().config().setAutoRead(true);
            sayGoodbye();
            context.executor().schedule(() -> context.channel().close(), FAREWELL_SECONDS, TimeUnit.SECONDS);
        });
    }

    final boolean finishing() {
        return finishing;
    }

    /** The client sent this much; on the network thread. */
    final void arrived(int bytes) {
        if (unread.addAndGet(bytes) > UNREAD_HIGH && !paused && !finishing) {
            paused = true;
            context.channel().config().setAutoRead(false);
            resumeIfRead();
            if (!probing) {
                probing = true;
                scheduleProbe();
            }
        }
    }

    /** This much of what the client sent is out of memory. */
    final void taken(int bytes) {
        if (unread.addAndGet(-bytes) <= UNREAD_LOW && paused) {
            onNetworkThread(this::resumeIfRead);
        }
    }

    private void resumeIfRead() {
        if (paused && unread.get() <= UNREAD_LOW) {
            paused = false;
            context.channel().config().setAutoRead(true);
        }
    }

    private void scheduleProbe() {
        context.executor()
                .schedule(
                        () -> {
                            probing = paused && context.channel().isActive();
                            if (probing) {
                                context.writeAndFlush(probe());
                                scheduleProbe();
                            }
                        },
                        PROBE_SECONDS,
                        TimeUnit.SECONDS);
    }

    final void onNetworkThread(Runnable action) {
        if (gone) {
            return;
        }
        try {
            context.executor().execute(action);
        } catch (RejectedExecutionException shutDown) {
            LOG.debug("the connection was closed with the server", shutDown);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        signal();
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        Runnable action;
        lock.lock();
        try {
            gone = true;
            action = onGone;
            writable.signalAll();
        } finally {
            lock.unlock();
        }
        streams().forEach(ClientStream::cutOff);
        Thread.ofVirtual().name("client gone").start(action);
        context.fireChannelInactive();
    }

    private void signal() {
        lock.lock();
        try {
            writable.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("stream connection from {} ended", context.channel().remoteAddress(), cause);
        context.close();
    }
}
