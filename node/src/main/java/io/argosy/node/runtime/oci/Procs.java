package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What /proc says of processes; a process is known by its pid and the tick it started at, for pids come round again. */
final class Procs {
    private static final Path PROC = Path.of("/proc");

    private Procs() {}

    /** The start tick of a live process; empty when it is gone or only waits to be reaped. */
    static OptionalLong startTicks(long pid) {
        String stat;
        try {
            stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            return OptionalLong.empty();
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 21);
        return fields[0].equals("Z") || fields[0].equals("X")
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(fields[19]));
    }

    static boolean alive(long pid, long startTicks) {
        OptionalLong now = startTicks(pid);
        return now.isPresent() && now.getAsLong() == startTicks;
    }

    static boolean commandLineContains(long pid, String text) throws IOException {
        return commandLine(PROC.resolve(Long.toString(pid))).contains(text);
    }

    /** The processes that one of the programs runs for the given id, by their command lines. */
    static List<Long> runningFor(String id, List<String> programs) throws IOException {
        List<Long> found = new ArrayList<>();
        try (Stream<Path> entries = Files.list(PROC)) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                String name = entry.getFileName().toString();
                if (!Character.isDigit(name.charAt(0))) {
                    continue;
                }
                String line = commandLine(entry);
                if (line.contains(id) && programs.stream().anyMatch(program -> line.startsWith(program + "\0"))) {
                    found.add(Long.parseLong(name));
                }
            }
        }
        return found;
    }

    private static String commandLine(Path process) throws IOException {
        try {
            return Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException _) {
            return "";
        } catch (IOException e) {
            if (Files.exists(process)) {
                throw e;
            }
            return "";
        }
    }
}
