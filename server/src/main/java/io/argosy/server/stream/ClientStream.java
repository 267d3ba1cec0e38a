package io.argosy.server.stream;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One of the streams that a client's connection carries, as plain blocking input and output, each of which ends by itself. */
final class ClientStream {
    private final Carrier carrier;
    private final int id;
    private final Map<String, String> headers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private int position;
    private boolean inputEnded;
    private boolean discarding;
    private volatile boolean cutOff;
    private boolean endSent;
    private final AtomicBoolean outputEnded = new AtomicBoolean();
    private final InputStream input = new Input();
    private final OutputStream output = new Output();

    /**
     * @param headers what the client said about the stream when it opened it, names in lower case
     */
    ClientStream(Carrier carrier, int id, Map<String, String> headers) {
        this.carrier = carrier;
        this.id = id;
        this.headers = Map.copyOf(headers);
    }

    int id() {
        return id;
    }

    /** What the client said about the stream when it opened it; empty if it said nothing. */
    String header(String lowerCaseName) {
        return headers.getOrDefault(lowerCaseName, "");
    }

    /** What the client sends; closing it throws away what still comes. */
    InputStream input() {
        return input;
    }

    /** To the client; closing it tells the client that this was all. */
    OutputStream output() {
        return output;
    }

    /** The client sent bytes; on the network thread. */
    void deliver(byte[] bytes) {
        lock.lock();
        try {
            if (bytes.length == 0 || discarding || inputEnded || cutOff) {
                return;
            }
            waiting.add(bytes);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        carrier.arrived(bytes.length);
    }

    /** The client will send no more. */
    void endInput() {
        lock.lock();
        try {
            inputEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The client takes no more and sends no more: it reset the stream, or is gone. */
    void cutOff() {
        lock.lock();
        try {
            cutOff = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        discard();
    }

    /** Throws away what the client sent and will send; a reader sees the end. */
    void discard() {
        int dropped;
        lock.lock();
        try {
            dropped = -position;
            for (byte[] bytes : waiting) {
                dropped += bytes.length;
            }
            waiting.clear();
            position = 0;
            discarding = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (dropped > 0) {
            carrier.taken(dropped);
        }
    }

    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, target.length);
            if (length == 0) {
                return 0;
            }
            int count;
            try {
                lock.lockInterruptibly();
                try {
                    while (waiting.isEmpty() && !inputEnded && !discarding && !cutOff) {
                        changed.await();
                    }
                    if (cutOff) {
                        throw new IOException("the client cut the stream off");
                    }
                    if (waiting.isEmpty()) {
                        return -1;
                    }
                    count = take(target, offset, length);
                } finally {
                    lock.unlock();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for the client");
            }
            carrier.taken(count);
            return count;
        }

        private int take(byte[] target, int offset, int length) {
            byte[] first = waiting.element();
            int count = Math.min(length, first.length - position);
            System.arraycopy(first, position, target, offset, count);
            position += count;
            if (position == first.length) {
                waiting.remove();
                position = 0;
            }
            return count;
        }

        @Override
        public void close() {
            discard();
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (cutOff || outputEnded.get()) {
                throw new IOException("the stream to the client has ended");
            }
            carrier.send(ClientStream.this, bytes, offset, length);
        }

        @Override
        public void close() {
            if (endOutput()) {
                carrier.end(ClientStream.this);
            }
        }
    }

    /** No more is to be written; false if that had been said before. */
    boolean endOutput() {
        return outputEnded.compareAndSet(false, true);
    }

    /** The client has been told that nothing more comes; on the network thread. */
    void endSent() {
        endSent = true;
    }

    /** Whether both sides have been told that nothing more comes, so that the stream can be forgotten; on the network thread. */
    boolean finished() {
        lock.lock();
        try {
            return cutOff || (inputEnded && endSent);
        } finally {
            lock.unlock();
        }
    }
}
