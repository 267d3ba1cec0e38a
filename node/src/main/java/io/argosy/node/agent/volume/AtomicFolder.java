package io.argosy.node.agent.volume;

import io.argosy.node.files.Trees;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A folder whose content changes all at once, as seen by who reads it: files stand in a fresh hidden folder, {@code ..data} is a
 * link that is moved to it in one step, and the visible names are links through {@code ..data}.
 */
final class AtomicFolder {
    private static final String DATA = "..data";

    private final Path folder;

    AtomicFolder(Path folder) {
        this.folder = folder;
    }

    /** A file's content and permission bits, and the user it is for where that is not root. */
    record Entry(byte[] content, int mode, OptionalLong owner) {
        Entry(byte[] content, int mode) {
            this(content, mode, OptionalLong.empty());
        }
    }

    /**
     * Makes the content exactly this; false if it already was. Paths are relative and may have several parts. The group, where
     * given, owns and may read the files.
     */
    boolean write(Map<String, Entry> files, OptionalLong group) throws IOException {
        Files.createDirectories(folder);
        Path data = folder.resolve(DATA);
        Path old = Files.isSymbolicLink(data) ? folder.resolve(Files.readSymbolicLink(data)) : null;
        if (old != null && same(old, files)) {
            link(files);
            return false;
        }
        Path fresh = Files.createTempDirectory(folder, "..");
        try {
            fill(fresh, files, group);
            Path next = folder.resolve("..data_tmp");
            Files.deleteIfExists(next);
            Files.createSymbolicLink(next, fresh.getFileName());
            Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Trees.delete(fresh); // it is tried again and again, perhaps on a disk that is full
            throw e;
        }
        link(files);
        dropStale(files, fresh.getFileName().toString());
        return true;
    }

    private static void fill(Path fresh, Map<String, Entry> files, OptionalLong group) throws IOException {
        setMode(fresh, 0755);
        for (Map.Entry<String, Entry> file : files.entrySet()) {
            Path path = fresh.resolve(file.getKey());
            makeFolders(fresh, path.getParent());
            Files.write(path, file.getValue().content());
            int mode = file.getValue().mode();
            OptionalLong owner = file.getValue().owner();
            if (owner.isPresent()) {
                Files.setAttribute(path, "unix:uid", Math.toIntExact(owner.getAsLong()), LinkOption.NOFOLLOW_LINKS);
            }
            if (group.isPresent()) {
                Files.setAttribute(path, "unix:gid", Math.toIntExact(group.getAsLong()), LinkOption.NOFOLLOW_LINKS);
                mode |= 0440;
            }
            setMode(path, mode);
        }
    }

    private static void makeFolders(Path root, Path folder) throws IOException {
        if (folder.equals(root) || Files.isDirectory(folder)) {
            return;
        }
        makeFolders(root, folder.getParent());
        Files.createDirectory(folder);
        setMode(folder, 0755);
    }

    private void link(Map<String, Entry> files) throws IOException {
        for (String name : topNames(files)) {
            Path link = folder.resolve(name);
            if (!Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of(DATA, name));
            }
        }
    }

    private void dropStale(Map<String, Entry> files, String current) throws IOException {
        Set<String> keep = topNames(files);
        keep.add(DATA);
        keep.add(current);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (!keep.contains(entry.getFileName().toString())) {
                    Trees.delete(entry);
                }
            }
        }
    }

    private static Set<String> topNames(Map<String, Entry> files) {
        Set<String> names = new HashSet<>();
        files.keySet().forEach(path -> names.add(Path.of(path).getName(0).toString()));
        return names;
    }

    private static boolean same(Path folder, Map<String, Entry> files) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        Set<String> there = new HashSet<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            walk.filter(p -> Files.isRegularFile(p, LinkOption.NOFOLLOW_LINKS))
                    .forEach(p -> there.add(folder.relativize(p).toString()));
        }
        Set<String> wanted = new HashSet<>();
        files.keySet().forEach(path -> wanted.add(Path.of(path).normalize().toString()));
        if (!there.equals(wanted)) {
            return false;
        }
        for (Map.Entry<String, Entry> file : files.entrySet()) {
            if (!Arrays.equals(
                    Files.readAllBytes(folder.resolve(file.getKey())),
                    file.getValue().content())) {
                return false;
            }
        }
        return true;
    }

    /** Permission bits as a number, whatever the process's umask says. */
    static void setMode(Path path, int mode) throws IOException {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = {
            PosixFilePermission.OTHERS_EXECUTE, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_READ,
            PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_READ
        };
        for (int bit = 0; bit < all.length; bit++) {
            if ((mode & (1 << bit)) != 0) {
                permissions.add(all[bit]);
            }
        }
        Files.setPosixFilePermissions(path, permissions);
    }
}
