package io.argosy.node.runtime.oci;

import io.argosy.api.time.Clock;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecResult;
import io.argosy.node.runtime.RuntimeFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command in a container that is waited for, such as a probe, with as much of its output as is reasonable to keep. */
final class CommandRun {
    private static final Logger LOG = LoggerFactory.getLogger(CommandRun.class);
    private static final int MOST_OUTPUT = 16 << 20;

    private CommandRun() {}

    static ExecResult toEnd(
            Runc runc, Clock clock, String containerId, Path bundle, List<String> command, Duration timeout)
            throws IOException, InterruptedException {
        ExecRequest request = new ExecRequest(command, false, false, true, true);
        try (CommandSession session = CommandSession.start(runc, clock, containerId, bundle, request)) {
            ByteArrayOutputStream stdout = new ByteArrayOutputStream();
            ByteArrayOutputStream stderr = new ByteArrayOutputStream();
            Thread out = Thread.ofVirtual().start(() -> collect(session.stdout(), stdout));
            Thread err = Thread.ofVirtual().start(() -> collect(session.stderr(), stderr));
            if (!session.waitFor(clock, timeout)) {
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.TIMEOUT, "command " + command + " timed out after " + timeout);
            }
            out.join();
            err.join();
            return new ExecResult(session.waitFor(), stdout.toByteArray(), stderr.toByteArray());
        }
    }

    private static void collect(InputStream from, ByteArrayOutputStream to) {
        byte[] buffer = new byte[8192];
        try {
            int count;
            while ((count = from.read(buffer)) > 0) {
                to.write(buffer, 0, Math.min(count, MOST_OUTPUT - to.size()));
            }
        } catch (IOException e) {
            LOG.debug("the command was cut off", e);
        }
    }
}
