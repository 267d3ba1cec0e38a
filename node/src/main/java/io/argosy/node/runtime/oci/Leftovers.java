package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a crash left behind: sandboxes and containers that were being made or unmade, and things of the host that no
 * record speaks of. With nothing left over this reads four folders and is done.
 */
final class Leftovers {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    private Leftovers() {}

    static void remove(OciConfig config, Sandboxes sandboxes, Containers containers, PodNetwork network, Runc runc)
            throws IOException {
        List<String> strayContainers = containers.load();
        List<String> straySandboxes = sandboxes.load();
        for (ContainerRecord container : containers.all()) {
            boolean halfMade = container.phase() == ContainerRecord.Phase.CREATING
                    || container.phase() == ContainerRecord.Phase.REMOVING;
            if (halfMade || sandboxes.get(container.sandboxId()).isEmpty()) {
                attempt("container " + container.id(), () -> containers.remove(container));
            }
        }
        for (String id : strayContainers) {
            attempt("container " + id, () -> containers.removeUnrecorded(id));
        }
        for (SandboxRecord sandbox : sandboxes.all()) {
            if (sandbox.phase() == SandboxRecord.Phase.CREATING || sandbox.phase() == SandboxRecord.Phase.REMOVING) {
                attempt("sandbox " + sandbox.id(), () -> {
                    for (ContainerRecord container : containers.all()) {
                        if (container.sandboxId().equals(sandbox.id())) {
                            containers.remove(container);
                        }
                    }
                    sandboxes.remove(sandbox);
                });
            }
        }
        for (String id : straySandboxes) {
            attempt("sandbox " + id, () -> sandboxes.removeUnrecorded(id));
        }
        Set<String> known = sandboxes.all().stream().map(SandboxRecord::id).collect(Collectors.toSet());
        attempt("addresses", () -> network.releaseAddresses(known::contains));
        containers.all().forEach(container -> known.add(container.id()));
        for (String id : names(config.runcRoot())) {
            if (!known.contains(id)) {
                attempt("runc container " + id, () -> runc.delete(id));
            }
        }
        for (String name : names(config.exits())) {
            if (!known.contains(Exits.container(name))) {
                Files.deleteIfExists(config.exits().resolve(name));
            }
        }
    }

    /** One part of the cleaning. */
    private interface Step {
        void run() throws IOException;
    }

    /** What cannot be removed now is tried again at the next start; the pods that are whole must run regardless. */
    private static void attempt(String what, Step step) {
        try {
            LOG.debug("removing leftover {}", what);
            step.run();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}, left over from a crash, cannot be removed yet: {}", what, e.getMessage(), e);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                entries.forEach(entry -> names.add(entry.getFileName().toString()));
            }
        }
        return names;
    }
}
