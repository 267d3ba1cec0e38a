package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Which process runs from a home: the store's lock names it. */
final class PidFile {
    private PidFile() {}

    static Optional<Long> read(Home home) {
        Path lock = home.state().resolve("lock");
        try {
            return Optional.of(Long.parseLong(Files.readString(lock).strip()));
        } catch (IOException | NumberFormatException none) {
            return Optional.empty();
        }
    }
}
