package io.argosy.node.image;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Breaks off an answer that stopped flowing: the HTTP client's own timeout ends where the body begins. */
final class StallGuard extends FilterInputStream {
    private final Duration limit;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicLong progress = new AtomicLong();
    private volatile boolean stalled;

    StallGuard(InputStream body, Duration limit) {
        super(body);
        this.limit = limit;
        Thread.ofVirtual().name("registry-stall-guard").start(this::watch);
    }

    private void watch() {
        try {
            long seen = -1;
            while (!closed.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                long now = progress.get();
                if (now == seen) {
                    stalled = true;
                    in.close();
                    return;
                }
                seen = now;
            }
        } catch (InterruptedException | IOException e) {
            stalled = true;
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int count = read(one, 0, 1);
        return count < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count;
        try {
            count = in.read(target, offset, length);
        } catch (IOException e) {
            throw stalled ? timeout() : e;
        }
        if (stalled) {
            throw timeout();
        }
        progress.incrementAndGet();
        return count;
    }

    private SocketTimeoutException timeout() {
        return new SocketTimeoutException("no data for " + limit.toSeconds() + "s");
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        in.close();
    }
}
