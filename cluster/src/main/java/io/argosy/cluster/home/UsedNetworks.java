package io.argosy.cluster.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The address ranges that the last start from a home used: what to look for when its traces are removed from the machine.
 *
 * @param routed the ranges of Service addresses, also those added later, that the machine has routes for
 */
public record UsedNetworks(String podCidr, String serviceCidr, List<String> routed) {
    public UsedNetworks {
        routed = List.copyOf(routed);
    }

    public static Optional<UsedNetworks> of(Home home) throws IOException {
        try {
            List<String> lines = Files.readAllLines(file(home));
            if (lines.size() < 2) {
                return Optional.empty();
            }
            String services = lines.get(1).strip();
            String routed = lines.size() < 3 ? services : lines.get(2).strip();
            return Optional.of(new UsedNetworks(
                    lines.get(0).strip(), services, routed.isEmpty() ? List.of() : List.of(routed.split(","))));
        } catch (NoSuchFileException neverStarted) {
            return Optional.empty();
        }
    }

    public void save(Home home) throws IOException {
        Home.write(file(home), podCidr + "\n" + serviceCidr + "\n" + String.join(",", routed) + "\n");
    }

    private static Path file(Home home) {
        return home.run().resolve("networks");
    }
}
