package io.argosy.server.http;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Lets a client go that takes nothing of what is waiting for it, so that what it does not read is not kept for ever. */
public final class Stall implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Channel channel;
    private final Duration patience;
    private long waiting;
    private ScheduledFuture<?> look;
    private boolean over;

    private Stall(Channel channel, Duration patience) {
        this.channel = channel;
        this.patience = patience;
        this.waiting = channel.bytesBeforeWritable();
    }

    /** From now until it is closed the client has that long for each piece that it takes. */
    public static Stall of(Channel channel, Duration patience) {
        Stall stall = new Stall(channel, patience);
        stall.lookLater();
        return stall;
    }

    private synchronized void lookLater() {
        if (over) {
            return;
        }
        try {
            look = channel.eventLoop().schedule(this::look, patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            over = true; // the server has ended, and every connection with it
        }
    }

    private void look() {
        long now = channel.bytesBeforeWritable();
        boolean taken = now < waiting || channel.isWritable();
        waiting = now;
        if (taken) {
            lookLater();
        } else {
            channel.close();
        }
    }

    @Override
    public synchronized void close() {
        over = true;
        if (look != null) {
            look.cancel(false);
        }
    }
}
