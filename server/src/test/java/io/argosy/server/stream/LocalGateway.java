package io.argosy.server.stream;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A pod that is this machine: commands are local processes, its ports are ours. */
final class LocalGateway implements NodeGateway {
    final List<Process> processes = new CopyOnWriteArrayList<>();
    final BlockingQueue<Command> commands = new LinkedBlockingQueue<>();
    final BlockingQueue<String> sizes = new LinkedBlockingQueue<>();

    @Override
    public void logs(Target target, Map<String, String> parameters, OutputStream sink) throws IOException {
        throw new IOException("no logs here");
    }

    @Override
    public Optional<Page> page(String node, String path, Map<String, String> parameters) {
        return path.equals("stats/summary")
                ? Optional.of(new Page("text/plain", (node + parameters).getBytes(StandardCharsets.UTF_8)))
                : Optional.empty();
    }

    @Override
    public Optional<Document> systemLog(String node, String path) {
        return path.equals("/syslog")
                ? Optional.of(new Document("text/plain", new ByteArrayInputStream(new byte[200_000])))
                : Optional.empty();
    }

    @Override
    public RemoteProcess exec(Target target, Command command) throws IOException {
        commands.add(command);
        ProcessBuilder builder = new ProcessBuilder(command.command());
        if (!command.stdin()) {
            builder.redirectInput(new File("/dev/null"));
        }
        if (command.tty()) {
            builder.redirectErrorStream(true);
        }
        Process process = builder.start();
        processes.add(process);
        return new LocalProcess(process);
    }

    @Override
    public RemoteProcess attach(Target target, Command command) throws IOException {
        return exec(
                target, new Command(List.of("sh", "-c", "cat; exit 7"), command.tty(), command.stdin(), true, true));
    }

    @Override
    public RemotePort portForward(Target target, int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        return new RemotePort() {
            @Override
            public OutputStream toPod() {
                return new HalfClosing(socket);
            }

            @Override
            public InputStream fromPod() {
                return new Uncloseable(socket);
            }

            @Override
            public void close() {
                try {
                    socket.close();
                } catch (IOException impossible) {
                    throw new AssertionError(impossible);
                }
            }
        };
    }

    private final class LocalProcess implements RemoteProcess {
        private final Process process;

        LocalProcess(Process process) {
            this.process = process;
        }

        @Override
        public OutputStream stdin() {
            return process.getOutputStream();
        }

        @Override
        public InputStream stdout() {
            return process.getInputStream();
        }

        @Override
        public InputStream stderr() {
            return process.getErrorStream();
        }

        @Override
        public void resize(int columns, int rows) {
            sizes.add(columns + "x" + rows);
        }

        @Override
        public int waitFor() throws InterruptedException {
            return process.waitFor();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private static final class HalfClosing extends OutputStream {
        private final Socket socket;

        HalfClosing(Socket socket) {
            this.socket = socket;
        }

        @Override
        public void write(int b) throws IOException {
            socket.getOutputStream().write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            socket.getOutputStream().write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            socket.shutdownOutput();
        }
    }

    private static final class Uncloseable extends InputStream {
        private final Socket socket;

        Uncloseable(Socket socket) {
            this.socket = socket;
        }

        @Override
        public int read() throws IOException {
            return socket.getInputStream().read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return socket.getInputStream().read(bytes, offset, length);
        }
    }
}
