package io.argosy.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** What begins when the start is over: work that nobody waits for yet, and that would take the processors from those who wait for the server. */
public final class PostStartHooks implements AutoCloseable {
    /** While hooks are called nobody can close, so what they begin is there to be closed afterwards. */
    private final ReentrantLock calling = new ReentrantLock();

    private final List<Runnable> waiting = new ArrayList<>();
    private volatile boolean over;

    /** Calls the hook, which must be quick, when the start is over; at once if it is. */
    public void add(Runnable hook) {
        calling.lock();
        try {
            if (over) {
                hook.run();
            } else {
                waiting.add(hook);
            }
        } finally {
            calling.unlock();
        }
    }

    boolean isOver() {
        return over;
    }

    /** The start is over; only the first call counts. */
    void run() {
        calling.lock();
        try {
            if (!over) {
                over = true;
                waiting.forEach(Runnable::run);
                waiting.clear();
            }
        } finally {
            calling.unlock();
        }
    }

    /** Whatever has not begun will not. */
    @Override
    public void close() {
        calling.lock();
        try {
            over = true;
            waiting.clear();
        } finally {
            calling.unlock();
        }
    }
}
