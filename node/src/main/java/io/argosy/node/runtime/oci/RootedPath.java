package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** Finds where a path of a container lies on the host, with symbolic links read as the container would: never outside. */
final class RootedPath {
    private static final int MOST_LINKS = 64;

    private RootedPath() {}

    static Path resolve(Path root, String inside) throws IOException {
        Deque<Path> ahead = new ArrayDeque<>();
        Path.of("/" + inside).forEach(ahead::add);
        Path at = root;
        int links = 0;
        while (!ahead.isEmpty()) {
            String part = ahead.pop().toString();
            if (part.equals("..")) {
                at = at.equals(root) ? root : at.getParent();
            } else if (!part.isEmpty() && !part.equals(".")) {
                Path next = at.resolve(part);
                if (Files.isSymbolicLink(next)) {
                    if (++links > MOST_LINKS) {
                        throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "too many symbolic links in " + inside);
                    }
                    Path target = Files.readSymbolicLink(next);
                    at = target.isAbsolute() ? root : at;
                    Deque<Path> steps = new ArrayDeque<>();
                    target.forEach(steps::push);
                    steps.forEach(ahead::push);
                } else {
                    at = next;
                }
            }
        }
        return at;
    }
}
