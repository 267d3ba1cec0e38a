package io.argosy.node.agent.volume;

import io.argosy.node.files.MountCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What is mounted on this machine below a folder, and the commands that change it. */
final class Mounts {
    /** A server that is away is waited for by the command itself, for two minutes and a little. */
    private static final Duration MOUNTING = Duration.ofMinutes(3);

    private static final Duration UNMOUNTING = Duration.ofMinutes(1);

    private Mounts() {}

    /** Mounts as the system's own command does; what it says on failure is told as Kubernetes tells it. */
    static void mount(String type, List<String> options, String source, Path target) throws IOException {
        List<String> arguments = arguments(type, options, source, target);
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(arguments);
        Ended ended = run(command, MOUNTING);
        if (ended.code() != 0) {
            throw new IOException("mount failed: " + ended.how() + "\nMounting command: mount\nMounting arguments: "
                    + String.join(" ", arguments) + "\nOutput: " + ended.output());
        }
    }

    static List<String> arguments(String type, List<String> options, String source, Path target) {
        List<String> arguments = new ArrayList<>(List.of("-t", type));
        if (!options.isEmpty()) {
            arguments.addAll(List.of("-o", String.join(",", options)));
        }
        arguments.addAll(List.of(source, target.toString()));
        return arguments;
    }

    /** Unmounts everything below a folder, innermost first; by force what does not answer, such as a server that is gone. */
    static void unmountBelow(Path folder) throws IOException {
        List<Mounted> mounts = new ArrayList<>(below(folder));
        mounts.sort(Comparator.comparingInt((Mounted mount) -> mount.path().getNameCount())
                .reversed());
        for (Mounted mount : mounts) {
            Path path = mount.path();
            if (mount.type().equals("tmpfs")) {
                MountCalls.unmountIfMounted(path); // nobody else's answer is waited for
                continue;
            }
            Ended ended = run(List.of("umount", path.toString()), UNMOUNTING);
            if (!ended.inTime()) {
                ended = run(List.of("umount", "-f", path.toString()), UNMOUNTING);
            }
            if (ended.code() != 0) {
                throw new IOException("unmount failed: " + ended.how() + "\nUnmounting arguments: " + path
                        + "\nOutput: " + ended.output());
            }
        }
    }

    /** Does not touch what is mounted there, which may be a server that does not answer. */
    static boolean mounted(Path path) throws IOException {
        Path parent = path.getParent();
        if (!Files.isDirectory(parent)) {
            return false;
        }
        Path real = parent.toRealPath();
        Path sought = real.resolve(path.getFileName());
        return below(real).stream().anyMatch(mount -> mount.path().equals(sought));
    }

    private record Mounted(Path path, String type) {}

    private static List<Mounted> below(Path folder) throws IOException {
        Path mountInfo = Path.of("/proc/self/mountinfo");
        if (!Files.exists(mountInfo)) {
            return List.of();
        }
        List<Mounted> mounted = new ArrayList<>();
        Path real = Files.exists(folder) ? folder.toRealPath() : folder;
        for (String line : Files.readAllLines(mountInfo, StandardCharsets.ISO_8859_1)) {
            String point = line.split(" ", 6)[4].replace("\\040", " ");
            Path path = Path.of(point);
            if (path.startsWith(real)) {
                mounted.add(new Mounted(
                        path, line.substring(line.indexOf(" - ") + 3).split(" ", 2)[0]));
            }
        }
        return mounted;
    }

    /** How a command ended and what it said. */
    private record Ended(int code, boolean inTime, String output) {
        String how() {
            return inTime ? "exit status " + code : "it did not end in time";
        }
    }

    private static Ended run(List<String> command, Duration limit) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        CompletableFuture<String> output = new CompletableFuture<>();
        Thread.ofVirtual().name("output-" + command.getFirst()).start(() -> {
            try {
                byte[] all = process.getInputStream().readAllBytes();
                output.complete(new String(all, StandardCharsets.UTF_8).strip());
            } catch (IOException e) {
                output.complete(e.toString());
            }
        });
        try {
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Ended(-1, false, "");
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + ": interrupted", e);
        }
        return new Ended(process.exitValue(), true, output.join());
    }
}
