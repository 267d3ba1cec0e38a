package io.argosy.node.simulated;

import io.argosy.node.provisioner.Disk;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** The disks of simulated nodes: volumes have a place on them, and nothing in it. */
public final class SimulatedDisks implements Function<String, Optional<Disk>> {
    private static final Path ROOT = Path.of("/var/lib/argosy/volumes");

    private final Fleet fleet;

    public SimulatedDisks(Fleet fleet) {
        this.fleet = fleet;
    }

    @Override
    public Optional<Disk> apply(String node) {
        return fleet.numberOf(node) < 0 ? Optional.empty() : Optional.of(new Nowhere());
    }

    private static final class Nowhere implements Disk {
        @Override
        public Path make(String name, long bytes) {
            return ROOT.resolve(name);
        }

        @Override
        public void resize(Path folder, long bytes) {
            // What is nowhere takes no space.
        }

        @Override
        public void remove(Path folder) {
            // There never was anything.
        }
    }
}
