package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** How the command line speaks to the running process: one line asks, lines answer. Only the home's owner can reach it. */
final class ControlSocket implements AutoCloseable {
    /** The longest path a Unix socket may have on Linux. */
    private static final int MAX_PATH = 107;

    private final Path path;
    private final ServerSocketChannel server;
    private final Commands commands;

    /** Carries out commands. */
    interface Commands {
        void run(String command, Consumer<String> answer);
    }

    private ControlSocket(Path path, ServerSocketChannel server, Commands commands) {
        this.path = path;
        this.server = server;
        this.commands = commands;
    }

    static ControlSocket listen(Home home, Commands commands) throws IOException {
        Path path = home.controlSocket();
        if (path.toString().length() > MAX_PATH) {
            throw new IOException("the path " + path + " is too long for a socket; choose a shorter --home");
        }
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        return new ControlSocket(path, server, commands);
    }

    void start() {
        Thread.ofPlatform().daemon().name("control").start(() -> {
            while (server.isOpen()) {
                try {
                    SocketChannel connection = server.accept();
                    Thread.ofPlatform().daemon().name("command").start(() -> serve(connection));
                } catch (AsynchronousCloseException closed) {
                    return;
                } catch (IOException e) {
                    Log.error("The control socket failed", e);
                    return;
                }
            }
        });
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            BufferedReader reader = new BufferedReader(
                    new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.UTF_8));
            String command = reader.readLine();
            if (command != null) {
                commands.run(command, line -> write(connection, line));
            }
        } catch (IOException e) {
            Log.error("A command was cut off", e);
        }
    }

    private static void write(SocketChannel connection, String line) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                connection.write(bytes);
            }
        } catch (IOException e) {
            Log.error("An answer was cut off", e);
        }
    }

    /** Asks a running process; the lines of its answer go to the listener. Empty if none runs; else its process id. */
    static Optional<Long> ask(Home home, String command, Consumer<String> answer) {
        try (SocketChannel connection = SocketChannel.open(UnixDomainSocketAddress.of(home.controlSocket()))) {
            Optional<Long> pid = PidFile.read(home);
            write(connection, command);
            BufferedReader reader = new BufferedReader(
                    new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                answer.accept(line);
            }
            return pid.isPresent() ? pid : Optional.of(-1L);
        } catch (IOException nobodyThere) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
