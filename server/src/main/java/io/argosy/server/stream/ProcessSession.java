package io.argosy.server.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.argosy.api.json.Json;
import io.argosy.server.stream.NodeGateway.RemoteProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A process in a container and a client that talks with it, from the first byte to the exit code. */
final class ProcessSession implements Runnable {
    private static final int CHUNK = 32 * 1024;
    private static final Logger LOG = LoggerFactory.getLogger(ProcessSession.class);

    private final Carrier carrier;
    private final ProcessStreams streams;
    private final RemoteProcess process;
    private final Protocol protocol;
    private final boolean reportsExitCode;

    /**
     * @param reportsExitCode whether the client learns the exit code; one that attached reads it from the pod's status
     */
    ProcessSession(
            Carrier carrier,
            ProcessStreams streams,
            RemoteProcess process,
            Protocol protocol,
            boolean reportsExitCode) {
        this.carrier = carrier;
        this.streams = streams;
        this.process = process;
        this.protocol = protocol;
        this.reportsExitCode = reportsExitCode;
    }

    /** Ends with the process, or with the client, whichever is first. */
    @Override
    public void run() {
        carrier.onGone(process::close);
        try (process) {
            if (!streams.awaitAll()) {
                LOG.debug("the client did not open its streams");
                return;
            }
            Outcome outcome = converse();
            ClientStream error = streams.get(ProcessStreams.ERROR).orElseThrow();
            byte[] last = outcome.encode(protocol);
            if (last.length > 0) {
                error.output().write(last);
            }
            error.output().close();
        } catch (IOException clientGone) {
            LOG.debug("the client went before the end", clientGone);
        } catch (InterruptedException shutdown) {
            Thread.currentThread().interrupt();
        } finally {
            streams.get(ProcessStreams.STDIN).ifPresent(ClientStream::discard);
            streams.get(ProcessStreams.RESIZE).ifPresent(ClientStream::discard);
            carrier.finish();
        }
    }

    private Outcome converse() throws InterruptedException {
        streams.get(ProcessStreams.STDIN)
                .ifPresent(stdin -> Thread.ofVirtual().name("stdin").start(() -> feed(stdin)));
        streams.get(ProcessStreams.RESIZE)
                .ifPresent(sizes -> Thread.ofVirtual().name("resize").start(() -> resize(sizes)));
        Optional<ClientStream> stderr = streams.get(ProcessStreams.STDERR);
        Thread errors = Thread.ofVirtual().name("stderr").start(() -> drain(process.stderr(), stderr));
        drain(process.stdout(), streams.get(ProcessStreams.STDOUT));
        errors.join();
        try {
            int code = process.waitFor();
            return reportsExitCode ? Outcome.exited(code) : Outcome.success();
        } catch (IOException lost) {
            String doing =
                    reportsExitCode ? "error executing command in container: " : "error attaching to container: ";
            return Outcome.broken(doing + lost.getMessage());
        }
    }

    private void feed(ClientStream stdin) {
        try (InputStream in = stdin.input();
                OutputStream to = process.stdin()) {
            copy(in, to);
        } catch (IOException ended) {
            LOG.debug("the process takes no more input, or the client gives none", ended);
        }
    }

    /** All of the process's output, even if nobody wants to see it: a process must not hang on a full pipe. */
    private static void drain(InputStream from, Optional<ClientStream> client) {
        try (from) {
            OutputStream to = client.map(ClientStream::output).orElseGet(OutputStream::nullOutputStream);
            try (to) {
                copy(from, to);
            } catch (IOException unwanted) {
                LOG.debug("the client takes no more output", unwanted);
                from.transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException ended) {
            LOG.debug("the process's output broke off", ended);
        }
    }

    static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] chunk = new byte[CHUNK];
        for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
            if (count > 0) {
                to.write(chunk, 0, count);
                to.flush();
            }
        }
    }

    /** Terminal sizes come as one JSON object after the other. */
    private void resize(ClientStream sizes) {
        try (InputStream in = sizes.input();
                JsonParser json = Json.factory().createParser(in)) {
            while (json.nextToken() != null) {
                readSize(json);
            }
        } catch (IOException ended) {
            LOG.debug("no more terminal sizes", ended);
        }
    }

    private void readSize(JsonParser json) throws IOException {
        int columns = 0;
        int rows = 0;
        if (!json.hasToken(JsonToken.START_OBJECT)) {
            throw new IOException("not a terminal size");
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            int value = json.nextIntValue(0);
            if (field.equalsIgnoreCase("Width")) {
                columns = value;
            } else if (field.equalsIgnoreCase("Height")) {
                rows = value;
            }
        }
        if (columns > 0 && rows > 0) {
            process.resize(columns, rows);
        }
    }
}
