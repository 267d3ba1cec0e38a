package io.argosy.node.agent.volume;

import io.argosy.node.files.Beneath;
import io.argosy.node.files.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Parts of volumes while a container that mounts them is being made. Other containers may write in the same volume: a part is found
 * without being led out of it, and shown to the runtime under a path of our own, which nobody but us can turn elsewhere. Once the
 * container is made it has the mounts itself, and these go.
 */
public final class SubPaths implements AutoCloseable {
    private final Path folder;
    private final List<Path> shown = new ArrayList<>();

    SubPaths(Path folder) {
        this.folder = folder;
    }

    /** Where the part of the volume is shown; folders that are missing are made as open as the volume is. */
    Path show(Path volume, Path part) throws IOException {
        int mode = 0750 | ((int) Files.getAttribute(volume, "unix:mode") & 07777);
        try (Beneath root = Beneath.folder(volume);
                Beneath found = root.openOrMake(part, made -> AtomicFolder.setMode(made, mode))) {
            Path place = folder.resolve(Integer.toString(shown.size()));
            Beneath.unmount(place);
            Trees.delete(place);
            Files.createDirectories(folder);
            if (Files.isDirectory(found.path())) {
                Files.createDirectory(place);
            } else {
                Files.createFile(place);
            }
            shown.add(place);
            return found.mountAt(place) ? place : found.path().toRealPath();
        }
    }

    @Override
    public void close() {
        try {
            for (Path place : shown) {
                Beneath.unmount(place);
                Files.deleteIfExists(place);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
