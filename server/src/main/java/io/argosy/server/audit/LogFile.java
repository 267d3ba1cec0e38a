package io.argosy.server.audit;

import io.argosy.api.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of JSON in a file that is put aside when it is large enough. A line is with the operating system before the request it tells of goes on, so
 * that the process may die at any time.
 */
public final class LogFile implements AuditSink {
    private static final Logger LOG = LoggerFactory.getLogger(LogFile.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH-mm-ss.SSS").withZone(ZoneOffset.UTC);

    private final Config config;
    private final Clock clock;
    private final AuditErrors errors;
    private final ReentrantLock lock = new ReentrantLock();
    private FileChannel channel;
    private long size;
    private boolean failing;

    /**
     * Where the lines go.
     *
     * @param maxBytes when a file is put aside
     * @param maxAge how long those put aside are kept; zero for ever
     * @param maxBackups how many of them are kept; zero for all
     */
    public record Config(Path file, long maxBytes, Duration maxAge, int maxBackups) {}

    private LogFile(Config config, Clock clock, AuditErrors errors) throws IOException {
        this.config = config;
        this.clock = clock;
        this.errors = errors;
        openFile();
    }

    static LogFile open(Config config, Clock clock, AuditErrors errors) {
        try {
            return new LogFile(config, clock, errors);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The audit log " + config.file() + " cannot be written: " + e.getMessage() + ".", e);
        }
    }

    private void openFile() throws IOException {
        channel = FileChannel.open(
                config.file(),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        size = channel.size();
    }

    @Override
    public void write(byte[] event) {
        ByteBuffer line = ByteBuffer.allocate(event.length + 1).put(event).put((byte) '\n');
        lock.lock();
        try {
            if (size > 0 && size + line.capacity() > config.maxBytes()) {
                putAside();
            }
            line.flip();
            while (line.hasRemaining()) {
                size += channel.write(line);
            }
            failing = false;
        } catch (IOException e) {
            errors.lost("log", 1);
            if (!failing) {
                LOG.error("The audit log {} cannot be written: {}", config.file(), e.getMessage());
                failing = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void putAside() throws IOException {
        channel.close();
        Instant now = clock.now();
        Path aside = backup(now);
        for (int i = 1; Files.exists(aside); i++) {
            aside = backup(now.plusMillis(i));
        }
        Files.move(config.file(), aside);
        openFile();
        removeOld(now);
    }

    private Path backup(Instant at) {
        String[] name = name();
        return config.file().resolveSibling(name[0] + "-" + STAMP.format(at) + name[1]);
    }

    /** What stands before the ending of the file's name, and the ending. */
    private String[] name() {
        String name = config.file().getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? new String[] {name, ""} : new String[] {name.substring(0, dot), name.substring(dot)};
    }

    private record Aside(Path file, Instant at) {}

    private void removeOld(Instant now) throws IOException {
        List<Aside> kept = new ArrayList<>(asides());
        kept.sort(Comparator.comparing(Aside::at).reversed());
        for (int i = 0; i < kept.size(); i++) {
            Aside one = kept.get(i);
            boolean many = config.maxBackups() > 0 && i >= config.maxBackups();
            boolean old = config.maxAge().isPositive() && one.at().isBefore(now.minus(config.maxAge()));
            if (many || old) {
                Files.deleteIfExists(one.file());
            }
        }
    }

    private List<Aside> asides() throws IOException {
        String[] name = name();
        List<Aside> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(config.file().toAbsolutePath().getParent())) {
            for (Path file : files.toList()) {
                String text = file.getFileName().toString();
                if (text.startsWith(name[0] + "-") && text.endsWith(name[1])) {
                    String stamp = text.substring(name[0].length() + 1, text.length() - name[1].length());
                    try {
                        found.add(new Aside(file, Instant.from(STAMP.parse(stamp))));
                    } catch (DateTimeParseException anotherFile) {
                        LOG.trace("{} is none of ours", file);
                    }
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return found;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("The audit log {} did not close: {}", config.file(), e.getMessage());
        } finally {
            lock.unlock();
        }
    }
}
