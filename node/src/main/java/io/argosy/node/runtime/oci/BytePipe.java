package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A bounded pipe between two threads, of which the slower holds back the faster. */
final class BytePipe {
    private final byte[] ring = new byte[32 * 1024];
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int start;
    private int filled;
    private boolean ended;
    private boolean abandoned;

    InputStream input() {
        return new Reader();
    }

    OutputStream output() {
        return new Writer();
    }

    /** No more is written; what is in the pipe can still be read. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** No more is read; what is written from now on is dropped. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            filled = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private int take(byte[] target, int offset, int length) throws IOException {
        lock.lock();
        try {
            while (filled == 0 && !ended && !abandoned) {
                changed.await();
            }
            if (filled == 0) {
                return -1;
            }
            int count = Math.min(Math.min(length, filled), ring.length - start);
            System.arraycopy(ring, start, target, offset, count);
            start = (start + count) % ring.length;
            filled -= count;
            changed.signalAll();
            return count;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private void give(byte[] source, int offset, int length) throws IOException {
        lock.lock();
        try {
            int done = 0;
            while (done < length && !abandoned) {
                if (ended) {
                    throw new IOException("the stream is closed");
                }
                if (filled == ring.length) {
                    changed.await();
                    continue;
                }
                int end = (start + filled) % ring.length;
                int room = Math.min(ring.length - filled, ring.length - end);
                int count = Math.min(length - done, room);
                System.arraycopy(source, offset + done, ring, end, count);
                filled += count;
                done += count;
                changed.signalAll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private final class Reader extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return take(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return length == 0 ? 0 : take(target, offset, length);
        }

        @Override
        public int available() {
            lock.lock();
            try {
                return filled;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            abandon();
        }
    }

    private final class Writer extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            give(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            give(source, offset, length);
        }

        @Override
        public void close() {
            end();
        }
    }
}
