package io.argosy.node.runtime.oci;

import io.argosy.node.files.SystemCall;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams over a file descriptor that Java has no class for, a terminal or a packet socket. Two threads of the platform
 * do the blocking calls, because there a virtual thread would hold on to the carrier that others need.
 */
final class DescriptorStreams {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorStreams.class);
    private static final int CHUNK = 32 * 1024;

    /** Takes what was read, one call's worth at a time. */
    @FunctionalInterface
    interface Sink {
        void accept(byte[] bytes, int length) throws IOException;
    }

    /** What is done with the descriptor when the writing side has ended. */
    @FunctionalInterface
    interface WriteEnd {
        void apply(int fd) throws IOException;
    }

    private final int fd;
    private final BytePipe toDescriptor = new BytePipe();
    private final ReentrantLock lock = new ReentrantLock();
    private int users = 2;

    /** Starts the two threads; {@code ended} runs once when nothing more can be read. */
    DescriptorStreams(int fd, Sink sink, WriteEnd writeEnd, Runnable ended) {
        this.fd = fd;
        Thread.ofPlatform().name("argosy-read-" + fd).daemon().start(() -> read(sink, ended));
        Thread.ofPlatform().name("argosy-write-" + fd).daemon().start(() -> write(writeEnd));
    }

    OutputStream output() {
        return toDescriptor.output();
    }

    /** Uses the descriptor if it is still open. */
    void withDescriptor(WriteEnd use) throws IOException {
        lock.lock();
        try {
            if (users > 0) {
                use.apply(fd);
            }
        } finally {
            lock.unlock();
        }
    }

    private void read(Sink sink, Runnable ended) {
        byte[] buffer = new byte[CHUNK];
        try {
            int count;
            while ((count = Linux.read(fd, buffer)) > 0) {
                sink.accept(buffer, count);
            }
        } catch (SystemCall.Failed e) {
            if (e.number() != SystemCall.EIO) {
                LOG.debug("stream ended", e);
            }
        } catch (IOException e) {
            LOG.debug("nobody reads the stream any more", e);
        } finally {
            ended.run();
            toDescriptor.abandon();
            release();
        }
    }

    private void write(WriteEnd writeEnd) {
        byte[] buffer = new byte[CHUNK];
        try (InputStream in = toDescriptor.input()) {
            int count;
            while ((count = in.read(buffer)) > 0) {
                Linux.write(fd, buffer, count);
            }
            withDescriptor(writeEnd);
        } catch (IOException e) {
            LOG.debug("the other side no longer reads", e);
        } finally {
            release();
        }
    }

    private void release() {
        lock.lock();
        try {
            if (--users == 0) {
                Linux.close(fd);
            }
        } catch (IOException e) {
            LOG.warn("cannot close descriptor {}", fd, e);
        } finally {
            lock.unlock();
        }
    }
}
