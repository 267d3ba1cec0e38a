package io.argosy.node.agent.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Reads container logs in the CRI format: the part that is asked for, and on, as it is written, if that is wanted. */
public final class PodLogs {
    private static final int CHUNK = 64 * 1024;

    private final LogWatch watch;

    public PodLogs(LogWatch watch) {
        this.watch = watch;
    }

    /**
     * Writes the wanted part of a log file to the sink. Following ends when the container has ended and all it wrote is read, when
     * the sink fails, or when the thread is interrupted.
     *
     * @param running whether the container may still write
     */
    public void open(Path file, LogOptions options, BooleanSupplier running, OutputStream sink) throws IOException {
        Copy copy = new Copy(options, sink);
        if (!options.follow()) {
            if (Files.exists(file)) {
                try (SeekableByteChannel channel = Files.newByteChannel(file)) {
                    start(channel, options);
                    copy.drain(channel);
                }
            }
            sink.flush();
            return;
        }
        Files.createDirectories(file.getParent());
        try (LogWatch.Folder folder = watch.follow(file.getParent())) {
            follow(file, options, running, copy, folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("following was cut short").initCause(e);
        }
    }

    private static void follow(
            Path file, LogOptions options, BooleanSupplier running, Copy copy, LogWatch.Folder folder)
            throws IOException, InterruptedException {
        boolean first = true;
        boolean over = false;
        while (!over) {
            long seen = folder.version();
            boolean alive = running.getAsBoolean();
            Object named = identity(file);
            try (SeekableByteChannel channel = Files.newByteChannel(file)) {
                if (!Objects.equals(named, identity(file))) {
                    continue; // replaced meanwhile: which of the two is open cannot be told
                }
                if (first) {
                    start(channel, options);
                }
                first = false;
                over = untilReplaced(file, named, channel, running, copy, folder);
            } catch (NoSuchFileException e) {
                over = !alive;
                if (alive) {
                    folder.awaitBeyond(seen);
                }
            }
        }
    }

    /** Reads one file to its end, again and again; true when there is nothing more to come, false when a rotation took it away. */
    private static boolean untilReplaced(
            Path file,
            Object opened,
            SeekableByteChannel channel,
            BooleanSupplier running,
            Copy copy,
            LogWatch.Folder folder)
            throws IOException, InterruptedException {
        while (true) {
            long seen = folder.version();
            boolean alive = running.getAsBoolean();
            Object there = identity(file);
            boolean replaced = there != null && !there.equals(opened);
            copy.drain(channel);
            copy.sink.flush();
            if (copy.full() || !alive) {
                return true;
            }
            if (replaced) {
                return false;
            }
            folder.awaitBeyond(seen);
        }
    }

    private static Object identity(Path file) throws IOException {
        try {
            return Files.getAttribute(file, "unix:ino");
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void start(SeekableByteChannel channel, LogOptions options) throws IOException {
        if (options.tailLines().isPresent()) {
            channel.position(tailStart(channel, options.tailLines().getAsLong()));
        }
    }

    /** Where the last so many lines begin, found from the end. */
    static long tailStart(SeekableByteChannel channel, long lines) throws IOException {
        long end = channel.size();
        if (lines <= 0) {
            return end;
        }
        long found = 0;
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        for (long at = end; at > 0; ) {
            long from = Math.max(0, at - CHUNK);
            chunk.clear().limit((int) (at - from));
            channel.position(from);
            int read = 0;
            while (chunk.hasRemaining() && read >= 0) {
                read = channel.read(chunk);
            }
            for (int i = chunk.position() - 1; i >= 0; i--) {
                boolean lastByte = from + i == end - 1;
                if (chunk.get(i) == '\n' && !lastByte) {
                    found++;
                    if (found == lines) {
                        return from + i + 1;
                    }
                }
            }
            at = from;
        }
        return 0;
    }

    /** The end of what a container wrote, for its termination message. */
    public static String tail(Path file, int lines, int bytes) throws IOException {
        if (!Files.exists(file)) {
            return "";
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            channel.position(tailStart(channel, lines));
            new Copy(LogOptions.ALL, out).drain(channel);
        }
        byte[] all = out.toByteArray();
        int from = Math.max(0, all.length - bytes);
        return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    }

    /** Turns raw log lines into what the reader asked for, across reads that end in the middle of a line. */
    private static final class Copy {
        private static final String UTC = "+00:00";

        private final LogOptions options;
        private final OutputStream sink;
        private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        private byte[] line = new byte[CHUNK];
        private int length;
        private long left;
        private boolean newLine = true;

        Copy(LogOptions options, OutputStream sink) {
            this.options = options;
            this.sink = sink;
            left = options.limitBytes().orElse(Long.MAX_VALUE);
        }

        boolean full() {
            return left <= 0;
        }

        void drain(SeekableByteChannel channel) throws IOException {
            for (chunk.clear(); !full() && channel.read(chunk) > 0; chunk.clear()) {
                chunk.flip();
                while (chunk.hasRemaining() && !full()) {
                    take(chunk.get());
                }
            }
        }

        private void take(byte b) throws IOException {
            if (b != '\n') {
                if (length == line.length) {
                    line = java.util.Arrays.copyOf(line, length * 2);
                }
                line[length++] = b;
                return;
            }
            CriLine parsed = CriLine.parse(line, length);
            length = 0;
            if (parsed == null || options.since().filter(parsed::before).isPresent()) {
                return;
            }
            if (options.timestamps() && newLine) {
                write((shown(parsed.time()) + " ").getBytes(StandardCharsets.US_ASCII));
            }
            write(parsed.text());
            newLine = !parsed.partial();
        }

        /** As kubectl's users know it, whichever of the two ways to write it the runtime has. */
        private static String shown(String time) {
            return time.endsWith(UTC) ? time.substring(0, time.length() - UTC.length()) + "Z" : time;
        }

        private void write(byte[] bytes) throws IOException {
            int count = (int) Math.min(left, bytes.length);
            sink.write(bytes, 0, count);
            left -= count;
        }
    }
}
