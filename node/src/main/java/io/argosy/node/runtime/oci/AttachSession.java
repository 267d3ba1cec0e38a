package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.ExecSession;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client at a container's own streams, through the socket on which conmon hands them out. */
final class AttachSession implements ExecSession {
    private static final Logger LOG = LoggerFactory.getLogger(AttachSession.class);
    private static final int STDOUT = 2;
    private static final int STDERR = 3;

    private final BytePipe stdout = new BytePipe();
    private final BytePipe stderr = new BytePipe();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final DescriptorStreams streams;
    private final boolean withStdin;
    private final Conmon conmon;
    private final Path bundle;
    private final IntSupplier exitCode;

    /** {@code exitCode} is asked when the streams have ended, and waits for the container's exit. */
    AttachSession(Conmon conmon, Path bundle, AttachRequest request, IntSupplier exitCode) throws IOException {
        this.conmon = conmon;
        this.bundle = bundle;
        this.exitCode = exitCode;
        this.withStdin = request.stdin();
        if (!request.stdout()) {
            stdout.abandon();
        }
        if (!request.stderr()) {
            stderr.abandon();
        }
        OutputStream out = stdout.output();
        OutputStream err = stderr.output();
        this.streams = new DescriptorStreams(
                Linux.connectPacketSocket(bundle, "attach"),
                (bytes, length) -> {
                    if (bytes[0] == STDOUT) {
                        out.write(bytes, 1, length - 1);
                    } else if (bytes[0] == STDERR) {
                        err.write(bytes, 1, length - 1);
                    }
                },
                Linux::shutdownWrites,
                () -> {
                    stdout.end();
                    stderr.end();
                    ended.countDown();
                });
    }

    @Override
    public OutputStream stdin() {
        return withStdin ? streams.output() : OutputStream.nullOutputStream();
    }

    @Override
    public InputStream stdout() {
        return stdout.input();
    }

    @Override
    public InputStream stderr() {
        return stderr.input();
    }

    @Override
    public void resize(int columns, int rows) {
        conmon.resize(bundle, columns, rows);
    }

    @Override
    public int waitFor() throws InterruptedException {
        ended.await();
        return exitCode.getAsInt();
    }

    @Override
    public void close() {
        stdout.abandon();
        stderr.abandon();
        try {
            streams.withDescriptor(Linux::shutdown);
            streams.output().close();
        } catch (IOException e) {
            LOG.debug("attached stream was already cut", e);
        }
    }
}
