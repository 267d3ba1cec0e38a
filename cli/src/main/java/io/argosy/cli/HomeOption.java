package io.argosy.cli;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Every command is about one home. */
final class HomeOption {
    static final Path USUAL = Path.of(System.getProperty("user.home"), ".argosy");

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Folder for state, keys, images and logs (default: $ARGOSY_HOME, else ~/.argosy).")
    private Path home;

    Path path() {
        if (home != null) {
            return home.toAbsolutePath().normalize();
        }
        String fromEnvironment = System.getenv("ARGOSY_HOME");
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return Path.of(fromEnvironment).toAbsolutePath().normalize();
        }
        return USUAL;
    }
}
