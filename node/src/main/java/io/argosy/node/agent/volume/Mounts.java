package io.argosy.node.agent.volume;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is mounted on this machine below a folder, and the commands that change it. */
final class Mounts {
    private static final long SECONDS = 60;

    private Mounts() {}

    /** Unmounts everything below a folder, innermost first. */
    static void unmountBelow(Path folder) throws IOException {
        List<Path> mounted = new ArrayList<>(below(folder));
        mounted.sort(Comparator.comparingInt(Path::getNameCount).reversed());
        for (Path path : mounted) {
            run("umount", path.toString());
        }
    }

    static boolean mounted(Path path) throws IOException {
        return below(path).contains(path.toRealPath());
    }

    private static List<Path> below(Path folder) throws IOException {
        Path mountInfo = Path.of("/proc/self/mountinfo");
        if (!Files.exists(mountInfo)) {
            return List.of();
        }
        List<Path> mounted = new ArrayList<>();
        Path real = Files.exists(folder) ? folder.toRealPath() : folder;
        for (String line : Files.readAllLines(mountInfo, StandardCharsets.ISO_8859_1)) {
            String point = line.split(" ", 6)[4].replace("\\040", " ");
            Path path = Path.of(point);
            if (path.startsWith(real)) {
                mounted.add(path);
            }
        }
        return mounted;
    }

    /** Runs a short system command; what it says on failure becomes the exception's message. */
    static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command) + ": did not end in time");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + ": interrupted", e);
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
