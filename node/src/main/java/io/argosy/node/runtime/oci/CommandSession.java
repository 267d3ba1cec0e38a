package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.time.Patience;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command that runs in a container under {@code runc exec}: over pipes, or over a terminal of ours that runc joins to
 * one inside. runc stays in the foreground, so its exit code is the command's.
 */
final class CommandSession implements ExecSession {
    private static final Logger LOG = LoggerFactory.getLogger(CommandSession.class);
    /**
     * The terminal is opened by a shell and not by us, who as a leader of a session would get it as our own. The end of its input tells the
     * shell that the terminal has its size: a command that asks for it first thing shall not find 0 by 0.
     */
    private static final String ON_TERMINAL =
            "read -r sized; tty=$1; shift; exec \"$@\" <\"$tty\" >\"$tty\" 2>\"$tty\"";
    /** How long a client with a terminal may take to tell its size; one that has none never tells. */
    private static final Duration SIZE_WAIT = Duration.ofSeconds(1);
    /** How long the runtime may take to begin a command that has less time itself. */
    private static final Duration LONGEST_BEGINNING = Duration.ofSeconds(10);

    private final Process process;
    private final Path processFile;
    private final Path pidFile;
    private final Path logFile;
    private final OutputStream stdin;
    private final InputStream stdout;
    private final InputStream stderr;
    private final Optional<DescriptorStreams> terminal;
    private final CompletableFuture<Integer> exit;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean closed;

    static CommandSession start(Runc runc, Clock clock, String containerId, Path bundle, ExecRequest request)
            throws IOException {
        String name = "exec-" + UUID.randomUUID();
        Path processFile = bundle.resolve(name + ".json");
        Path pidFile = bundle.resolve(name + ".pid");
        Path logFile = bundle.resolve(name + ".log");
        Json.write(processFile, Runc.execProcess(bundle, request.command(), request.tty()));
        List<String> line = runc.command(
                "--log",
                logFile.toString(),
                "exec",
                "--process",
                processFile.toString(),
                "--pid-file",
                pidFile.toString());
        if (request.tty()) {
            line.add("--tty");
        }
        line.add(containerId);
        try {
            return request.tty()
                    ? onTerminal(line, clock, request, processFile, pidFile, logFile)
                    : onPipes(line, request, processFile, pidFile, logFile);
        } catch (IOException e) {
            Files.deleteIfExists(processFile);
            throw e;
        }
    }

    private static CommandSession onPipes(
            List<String> line, ExecRequest request, Path processFile, Path pidFile, Path logFile) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(line);
        if (!request.stdin()) {
            builder.redirectInput(new File("/dev/null"));
        }
        if (!request.stdout()) {
            builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        }
        if (!request.stderr()) {
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        Process process = builder.start();
        return new CommandSession(
                process,
                processFile,
                pidFile,
                logFile,
                new Unbuffered(process.getOutputStream()),
                process.getInputStream(),
                process.getErrorStream(),
                Optional.empty());
    }

    private static CommandSession onTerminal(
            List<String> line, Clock clock, ExecRequest request, Path processFile, Path pidFile, Path logFile)
            throws IOException {
        Linux.Terminal terminal = Linux.openTerminal();
        List<String> shell = new ArrayList<>(List.of("/bin/sh", "-c", ON_TERMINAL, "sh", terminal.path()));
        shell.addAll(line);
        Process process;
        try {
            process = new ProcessBuilder(shell)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            Linux.close(terminal.fd());
            throw e;
        }
        BytePipe output = new BytePipe();
        OutputStream sink = output.output();
        DescriptorStreams streams = new DescriptorStreams(
                terminal.fd(), (bytes, length) -> sink.write(bytes, 0, length), _ -> {}, output::end);
        if (!request.stdout()) {
            output.abandon();
        }
        CommandSession session = new CommandSession(
                process,
                processFile,
                pidFile,
                logFile,
                request.stdin() ? streams.output() : OutputStream.nullOutputStream(),
                output.input(),
                InputStream.nullInputStream(),
                Optional.of(streams));
        Clock.Timer unsized = clock.schedule(SIZE_WAIT, session::begin);
        session.exit.whenComplete((_, _) -> unsized.cancel());
        return session;
    }

    /** Lets a command on a terminal begin; calls after the first do nothing. */
    private void begin() {
        begun.set(true);
        closeQuietly(process.getOutputStream());
    }

    /** runc tells the command's terminal its size only when the command runs already, unless it stands in the process's file. */
    private void beginWith(int columns, int rows) throws IOException {
        if (begun.compareAndSet(false, true)) {
            ObjectNode start = (ObjectNode) Json.read(processFile);
            start.putObject("consoleSize").put("width", columns).put("height", rows);
            Json.write(processFile, start);
            begin();
        }
    }

    private CommandSession(
            Process process,
            Path processFile,
            Path pidFile,
            Path logFile,
            OutputStream stdin,
            InputStream stdout,
            InputStream stderr,
            Optional<DescriptorStreams> terminal) {
        this.process = process;
        this.processFile = processFile;
        this.pidFile = pidFile;
        this.logFile = logFile;
        this.stdin = stdin;
        this.stdout = stdout;
        this.stderr = stderr;
        this.terminal = terminal;
        this.exit = process.onExit().thenApply(ended -> finish(ended.exitValue()));
    }

    /** runc writes the pid file just before it lets the command go; without one the command never ran. */
    private int finish(int code) {
        try {
            if (!Files.exists(pidFile) && code != 0 && closed) {
                return 128 + Linux.SIGKILL;
            }
            if (!Files.exists(pidFile) && code != 0) {
                String words = Files.exists(logFile) ? Runc.plain(Files.readString(logFile)) : "";
                throw new RuntimeFailure(
                        RuntimeFailure.Kind.INVALID, words.isBlank() ? "the command was not started" : words);
            }
            return code;
        } catch (IOException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "cannot tell how the command ended", e);
        } finally {
            if (terminal.isPresent()) {
                closeQuietly(stdin);
            }
            deleteQuietly(processFile);
            deleteQuietly(pidFile);
            deleteQuietly(logFile);
        }
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public void resize(int columns, int rows) {
        terminal.ifPresent(streams -> {
            try {
                streams.withDescriptor(fd -> Linux.resizeTerminal(fd, columns, rows));
                beginWith(columns, rows);
                Linux.kill(process.pid(), Linux.SIGWINCH);
            } catch (IOException e) {
                LOG.debug("the terminal is gone", e);
            }
        });
    }

    @Override
    public int waitFor() throws InterruptedException {
        try {
            return exit.get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        }
    }

    /**
     * Whether the command ends within this time. It counts from when the command itself runs: how long the runtime takes to begin it, and
     * a pause of our own, are no fault of the container.
     */
    boolean waitFor(Clock clock, Duration atMost) throws InterruptedException {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        process.onExit().thenRun(() -> ended.complete(true));
        Duration toBegin = atMost.compareTo(LONGEST_BEGINNING) > 0 ? atMost : LONGEST_BEGINNING;
        try (Patience patience =
                Patience.afterBegin(clock, toBegin, () -> Files.exists(pidFile), atMost, () -> ended.complete(false))) {
            return ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Kills the command, which is runc's child, with its process group; runc follows it. */
    @Override
    public void close() {
        if (!process.isAlive()) {
            return;
        }
        closed = true;
        List<ProcessHandle> children = process.children().toList();
        try {
            for (ProcessHandle child : children) {
                Linux.kill(-child.pid(), Linux.SIGKILL);
                Linux.kill(child.pid(), Linux.SIGKILL);
            }
        } catch (IOException e) {
            LOG.warn("a command in a container could not be killed", e);
        }
        if (children.isEmpty()) {
            process.destroyForcibly();
        }
        closeQuietly(stdin);
        closeQuietly(stdout);
        closeQuietly(stderr);
    }

    private static void closeQuietly(AutoCloseable stream) {
        try {
            stream.close();
        } catch (Exception e) {
            LOG.debug("stream was already cut", e);
        }
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot delete {}", file, e);
        }
    }

    /** What Java buffers on its way to a process, a terminal user wants there now. */
    private static final class Unbuffered extends OutputStream {
        private final OutputStream target;

        Unbuffered(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            target.write(value);
            target.flush();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target.write(bytes, offset, length);
            target.flush();
        }

        @Override
        public void close() throws IOException {
            target.close();
        }
    }
}
