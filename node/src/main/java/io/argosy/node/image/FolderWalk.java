package io.argosy.node.image;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Walks to a folder below a root one step at a time, reading links itself and keeping them inside the root as a chroot
 * would, so that no path written by a stranger ever leads out.
 */
final class FolderWalk implements AutoCloseable {
    private static final int MAX_LINKS = 40;

    private final Posix posix;
    private final int root;
    private final boolean ownsRoot;
    private List<String> asked = List.of();
    private List<String> reached = new ArrayList<>();
    private int descriptor;

    FolderWalk(Posix posix, int root) {
        this(posix, root, true);
    }

    private FolderWalk(Posix posix, int root, boolean ownsRoot) {
        this.posix = posix;
        this.root = root;
        this.ownsRoot = ownsRoot;
        this.descriptor = root;
    }

    /** A second walker over the same root. */
    FolderWalk another() {
        return new FolderWalk(posix, root, false);
    }

    int rootDescriptor() {
        return root;
    }

    /** The path, free of links, of a name in the folder last opened. */
    List<String> current(String name) {
        List<String> path = new ArrayList<>(reached);
        path.add(name);
        return path;
    }

    /** Drops the remembered folder: something was removed, so the same path may lead elsewhere now. */
    void forget() {
        asked = null;
    }

    /** Opens a folder, valid until the next call; missing ones are made where asked for. */
    int open(List<String> path, boolean create) throws IOException {
        if (path.equals(asked)) {
            return descriptor;
        }
        asked = null;
        move(root);
        reached = new ArrayList<>();
        Deque<String> steps = new ArrayDeque<>(path);
        int links = 0;
        while (!steps.isEmpty()) {
            String step = steps.pop();
            if (step.isEmpty() || step.equals(".")) {
                continue;
            }
            if (step.equals("..")) {
                up();
                continue;
            }
            Posix.Kind kind = posix.kind(descriptor, step);
            if (kind == Posix.Kind.SYMLINK) {
                if (++links > MAX_LINKS) {
                    throw new IOException("too many links on the way to \"" + String.join("/", path) + "\"");
                }
                follow(posix.readlink(descriptor, step), steps);
            } else {
                down(step, kind, create);
            }
        }
        asked = List.copyOf(path);
        return descriptor;
    }

    private void follow(String target, Deque<String> steps) throws IOException {
        if (target.startsWith("/")) {
            move(root);
            reached.clear();
        }
        String[] parts = target.split("/", -1);
        for (int i = parts.length - 1; i >= 0; i--) {
            steps.push(parts[i]);
        }
    }

    private void down(String step, Posix.Kind kind, boolean create) throws IOException {
        if (create && kind == Posix.Kind.WHITEOUT) {
            posix.unlink(descriptor, step, false);
        }
        if (create && (kind == Posix.Kind.ABSENT || kind == Posix.Kind.WHITEOUT)) {
            posix.mkdir(descriptor, step);
        }
        if (create && kind == Posix.Kind.WHITEOUT) {
            posix.hideBelow(descriptor, step);
        }
        move(posix.openDirectory(descriptor, step));
        reached.add(step);
    }

    private void up() throws IOException {
        if (reached.isEmpty()) {
            return;
        }
        reached.removeLast();
        move(root);
        for (String step : reached) {
            move(posix.openDirectory(descriptor, step));
        }
    }

    private void move(int next) throws IOException {
        int previous = descriptor;
        descriptor = next;
        if (previous != root) {
            posix.close(previous);
        }
    }

    @Override
    public void close() throws IOException {
        move(root);
        if (ownsRoot) {
            posix.close(root);
        }
    }
}
