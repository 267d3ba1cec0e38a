package io.argosy.cluster.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The address ranges that the last start from a home used: what to look for when its traces are removed from the machine. */
public record UsedNetworks(String podCidr, String serviceCidr) {
    public static Optional<UsedNetworks> of(Home home) throws IOException {
        try {
            List<String> lines = Files.readAllLines(file(home));
            return lines.size() < 2
                    ? Optional.empty()
                    : Optional.of(
                            new UsedNetworks(lines.get(0).strip(), lines.get(1).strip()));
        } catch (NoSuchFileException neverStarted) {
            return Optional.empty();
        }
    }

    public void save(Home home) throws IOException {
        Home.write(file(home), podCidr + "\n" + serviceCidr + "\n");
    }

    private static Path file(Home home) {
        return home.run().resolve("networks");
    }
}
