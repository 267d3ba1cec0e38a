package io.argosy.server.http;

import io.netty.channel.Channel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A body on its way from the network's thread to the one that reads it. No more of it is taken from the network than the reader keeps up with,
 * so the client is made to wait.
 */
final class IncomingBody implements BodyStream {
    private static final int FULL = 256 << 10;
    private static final int LOW = 64 << 10;

    private final Channel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    private int held;
    private boolean paused;
    private State state = State.COMING;

    private enum State {
        COMING,
        COMPLETE,
        /** It will not be complete, or nobody reads it any more. */
        BROKEN
    }

    IncomingBody(Channel channel) {
        this.channel = channel;
    }

    /** Whoever reads the last piece finds the body complete: its answer may be there at once. */
    void add(byte[] piece, boolean last) {
        lock.lock();
        try {
            if (state != State.COMING) {
                return;
            }
            if (piece.length > 0) {
                pieces.add(piece);
                held += piece.length;
            }
            state = last ? State.COMPLETE : State.COMING;
            if (held > FULL && !paused) {
                paused = true;
                channel.config().setAutoRead(false);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more is to be had of it; what comes all the same is thrown away. */
    void discard() {
        lock.lock();
        try {
            if (state == State.COMING) {
                state = State.BROKEN;
            }
            pieces.clear();
            held = 0;
            resume();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isComplete() {
        lock.lock();
        try {
            return state == State.COMPLETE;
        } finally {
            lock.unlock();
        }
    }

    private void resume() {
        if (paused && held <= LOW) {
            paused = false;
            channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
        }
    }

    @Override
    public byte[] next() throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            while (pieces.isEmpty() && state == State.COMING) {
                changed.await();
            }
            byte[] piece = pieces.poll();
            if (piece != null) {
                held -= piece.length;
                resume();
                return piece;
            }
            if (state == State.BROKEN) {
                throw new IOException("the client did not send its request to the end");
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
