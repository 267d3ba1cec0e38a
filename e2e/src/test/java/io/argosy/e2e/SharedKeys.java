package io.argosy.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Gives one home the keys of another: as the guide says, servers on one etcd have the same. */
final class SharedKeys {
    private SharedKeys() {}

    static void copy(Path from, Path to) throws IOException {
        Path keys = from.resolve("pki");
        try (Stream<Path> files = Files.walk(keys)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve("pki").resolve(keys.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }
}
