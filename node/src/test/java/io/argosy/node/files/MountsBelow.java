package io.argosy.node.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is mounted below a test's folder, which cannot be deleted before it is taken off. */
public final class MountsBelow {
    private MountsBelow() {}

    public static List<Path> of(Path folder) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .map(line -> Path.of(line.split(" ", 6)[4]))
                .filter(path -> path.startsWith(folder))
                .toList();
    }

    public static void takeOff(Path folder) {
        try {
            for (Path mount : of(folder).reversed()) {
                MountCalls.unmountIfMounted(mount);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
