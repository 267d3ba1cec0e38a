package io.argosy.node.agent.volume;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Removing folders that containers have written to: never through a link, never into something still mounted. */
public final class Trees {
    private static final long MOUNT_SECONDS = 60;

    private Trees() {}

    /** Deletes a file, link or folder with all below it; that it is not there is no error. */
    public static void delete(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Unmounts everything below a folder, innermost first. */
    static void unmountBelow(Path folder) throws IOException {
        List<Path> mounted = new ArrayList<>(mountsBelow(folder));
        mounted.sort(Comparator.comparingInt(Path::getNameCount).reversed());
        for (Path path : mounted) {
            run("umount", path.toString());
        }
    }

    static boolean mounted(Path path) throws IOException {
        return mountsBelow(path).contains(path.toRealPath());
    }

    static List<Path> mountsBelow(Path folder) throws IOException {
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
            if (!process.waitFor(MOUNT_SECONDS, TimeUnit.SECONDS)) {
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
