package io.argosy.node.image;

import io.argosy.node.files.Privilege;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unfolds one layer's tar into a folder that overlayfs can stack, trusting nothing in it: no name, link or device of the
 * tar can touch anything outside the folder. Used once, by one thread.
 *
 * <p>Every parent is opened step by step from the target folder, links being read by us and taken as inside the folder, as
 * in a chroot; so the kernel itself never follows a link of the tar. Whiteouts become overlayfs' own.
 */
final class LayerUnpacker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LayerUnpacker.class);
    private static final String WHITEOUT = ".wh.";
    private static final String WHITEOUT_META = ".wh..wh.";
    private static final String OPAQUE = ".wh..wh..opq";
    private static final String XATTR = "SCHILY.xattr.";
    private static final int HEADER_BYTES = 1 << 20;
    private static final int S_IFIFO = 0x1000;
    private static final int S_IFCHR = 0x2000;
    private static final int S_IFBLK = 0x6000;

    private final UnpackPolicy policy;
    private final Posix posix = new Posix();
    private final FolderWalk folders;
    private final boolean root;
    private final Map<List<String>, TarArchiveEntry> directories = new LinkedHashMap<>();
    private final byte[] buffer = new byte[64 * 1024];
    private Predicate<String> filter = path -> true;
    private boolean mergeFolders;
    private long bytes;
    private long entries;

    LayerUnpacker(Path target, UnpackPolicy policy) throws IOException {
        this.policy = policy;
        this.root = Privilege.isRoot();
        this.folders =
                new FolderWalk(posix, posix.openRoot(target.toAbsolutePath().toString()));
    }

    /** Leaves out the paths (without leading slash) for which the test is false. */
    LayerUnpacker only(Predicate<String> wanted) {
        this.filter = wanted;
        return this;
    }

    /** Unfolds into a tree that stands already: a folder entry keeps a link to a folder of the same name. */
    LayerUnpacker merging() {
        this.mergeFolders = true;
        return this;
    }

    /** Unfolds the whole stream; answers how many bytes of file content it wrote. */
    long unpack(InputStream stream) throws IOException {
        HeaderGuard guard = new HeaderGuard(stream);
        TarArchiveInputStream tar = new TarArchiveInputStream(guard, StandardCharsets.UTF_8.name());
        TarArchiveEntry entry = next(tar, guard);
        while (entry != null) {
            if (++entries > policy.entries()) {
                throw tooLarge("more than " + policy.entries() + " entries");
            }
            place(entry, tar);
            entry = next(tar, guard);
        }
        guard.lift();
        stream.transferTo(OutputStream.nullOutputStream());
        finishDirectories();
        return bytes;
    }

    /** Makes sure that what was written survives a power cut. */
    void sync() throws IOException {
        posix.sync(folders.rootDescriptor());
    }

    @Override
    public void close() throws IOException {
        try {
            folders.close();
        } finally {
            posix.close();
        }
    }

    private static TarArchiveEntry next(TarArchiveInputStream tar, HeaderGuard guard) throws IOException {
        try {
            if (tar.getCurrentEntry() != null) {
                tar.transferTo(OutputStream.nullOutputStream());
            }
            guard.limit(HEADER_BYTES);
            TarArchiveEntry entry = tar.getNextEntry();
            guard.lift();
            return entry;
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            throw new IOException("malformed tar header: " + e.getMessage(), e);
        }
    }

    private void place(TarArchiveEntry entry, TarArchiveInputStream tar) throws IOException {
        List<String> path = components(entry.getName());
        if (!filter.test(String.join("/", path))) {
            return;
        }
        if (path.isEmpty()) {
            if (entry.isDirectory()) {
                directories.put(List.of(), entry);
            }
            return;
        }
        String name = path.getLast();
        int parent = folders.open(path.subList(0, path.size() - 1), true);
        if (name.startsWith(WHITEOUT)) {
            whiteout(parent, name);
        } else if (entry.isDirectory()) {
            directory(parent, name, entry);
        } else {
            makeRoom(parent, name);
            if (create(parent, name, entry, tar)) {
                describe(parent, name, entry);
            }
        }
    }

    /** Makes the file itself; answers whether owner, mode and time are still to be set. */
    private boolean create(int parent, String name, TarArchiveEntry entry, TarArchiveInputStream tar)
            throws IOException {
        if (entry.isSymbolicLink()) {
            posix.symlink(entry.getLinkName(), parent, name);
        } else if (entry.isLink()) {
            hardLink(parent, name, entry);
            return false;
        } else if (entry.isFIFO()) {
            posix.mknod(parent, name, S_IFIFO | 0600, 0, 0);
        } else if (entry.isCharacterDevice() || entry.isBlockDevice()) {
            return device(parent, name, entry);
        } else if (entry.isFile()) {
            file(parent, name, tar);
        } else {
            throw new IOException("entry \"" + entry.getName() + "\" is of a kind no layer has");
        }
        return true;
    }

    private void file(int parent, String name, TarArchiveInputStream tar) throws IOException {
        int fd = posix.createFile(parent, name);
        try {
            int read = tar.read(buffer);
            while (read >= 0) {
                bytes += read;
                if (bytes > policy.bytes()) {
                    throw tooLarge("more than " + policy.bytes() + " bytes unpacked");
                }
                posix.write(fd, buffer, read);
                read = tar.read(buffer);
            }
        } finally {
            posix.close(fd);
        }
    }

    private void directory(int parent, String name, TarArchiveEntry entry) throws IOException {
        Posix.Kind present = posix.kind(parent, name);
        List<String> here = folders.current(name);
        if (present == Posix.Kind.SYMLINK && mergeFolders) {
            return;
        }
        if (present != Posix.Kind.DIRECTORY) {
            if (present != Posix.Kind.ABSENT) {
                posix.unlink(parent, name, false);
                folders.forget();
            }
            posix.mkdir(parent, name);
            if (present == Posix.Kind.WHITEOUT) {
                posix.hideBelow(parent, name);
            }
        }
        attributes(parent, name, entry);
        directories.put(here, entry);
    }

    private void hardLink(int parent, String name, TarArchiveEntry entry) throws IOException {
        List<String> target = components(entry.getLinkName());
        if (target.isEmpty()) {
            throw new IOException("hard link \"" + entry.getName() + "\" points at the root folder");
        }
        try (FolderWalk there = folders.another()) {
            int at = there.open(target.subList(0, target.size() - 1), false);
            posix.link(at, target.getLast(), parent, name);
        } catch (Posix.Failure e) {
            throw new IOException(
                    "hard link \"" + entry.getName() + "\" to \"" + entry.getLinkName() + "\": " + e.getMessage(), e);
        }
    }

    private boolean device(int parent, String name, TarArchiveEntry entry) throws IOException {
        if (!root || !policy.devices()) {
            LOG.debug("leaving out device file {}", entry.getName());
            return false;
        }
        int type = entry.isCharacterDevice() ? S_IFCHR : S_IFBLK;
        posix.mknod(parent, name, type | 0600, entry.getDevMajor(), entry.getDevMinor());
        return true;
    }

    private void whiteout(int parent, String name) throws IOException {
        if (name.equals(OPAQUE)) {
            posix.hideBelow(parent, ".");
        } else if (!name.startsWith(WHITEOUT_META)) {
            String hidden = name.substring(WHITEOUT.length());
            if (hidden.isEmpty() || hidden.equals(".") || hidden.equals("..")) {
                throw new IOException("whiteout \"" + name + "\" hides nothing");
            }
            switch (posix.kind(parent, hidden)) {
                case ABSENT -> posix.mknod(parent, hidden, S_IFCHR, 0, 0);
                // A whiteout speaks of the layers below: what this layer itself brings stays, alone.
                case DIRECTORY -> posix.hideBelow(parent, hidden);
                default -> LOG.debug("whiteout of {}, which the same layer brings", hidden);
            }
        }
    }

    /** Makes room for an entry whose name an earlier entry of the same layer took; later ones win. */
    private void makeRoom(int parent, String name) throws IOException {
        Posix.Kind present = posix.kind(parent, name);
        if (present != Posix.Kind.ABSENT) {
            posix.unlink(parent, name, present == Posix.Kind.DIRECTORY);
            folders.forget();
        }
    }

    private void describe(int parent, String name, TarArchiveEntry entry) throws IOException {
        if (root) {
            posix.chown(parent, name, id(entry, entry.getLongUserId()), id(entry, entry.getLongGroupId()));
        }
        if (!entry.isSymbolicLink()) {
            posix.chmod(parent, name, entry.getMode() & 07777);
            attributes(parent, name, entry);
        }
        touch(parent, name, entry);
    }

    private void touch(int parent, String name, TarArchiveEntry entry) throws IOException {
        Instant time = entry.getLastModifiedTime().toInstant();
        posix.touch(parent, name, time.getEpochSecond(), time.getNano());
    }

    private static int id(TarArchiveEntry entry, long id) throws IOException {
        if (id < 0 || id > 0xffff_fffeL) {
            throw new IOException("entry \"" + entry.getName() + "\" has the impossible owner " + id);
        }
        return (int) id;
    }

    private void attributes(int parent, String name, TarArchiveEntry entry) throws IOException {
        for (Map.Entry<String, String> header : entry.getExtraPaxHeaders().entrySet()) {
            if (!header.getKey().startsWith(XATTR)) {
                continue;
            }
            String attribute = header.getKey().substring(XATTR.length());
            // Attributes that steer overlayfs or the security module are not an image's to set.
            boolean harmless = attribute.startsWith("user.") && !attribute.startsWith("user.overlay.");
            if (!harmless && !(root && attribute.equals("security.capability"))) {
                continue;
            }
            if (header.getValue().indexOf('\uFFFD') >= 0) {
                LOG.warn("attribute {} of {} is not text and was left out", attribute, entry.getName());
                continue;
            }
            try {
                posix.setAttribute(parent, name, attribute, header.getValue().getBytes(StandardCharsets.UTF_8));
            } catch (Posix.Failure e) {
                if (e.number() != Posix.NOT_SUPPORTED) {
                    throw e;
                }
                LOG.warn("the file system of the image store keeps no attributes: {}", e.getMessage());
            }
        }
    }

    /** Folders get their owner, mode and time last, deepest first: filling them would change the time again. */
    private void finishDirectories() throws IOException {
        List<List<String>> paths = new ArrayList<>(directories.keySet());
        paths.sort((a, b) -> Integer.compare(b.size(), a.size()));
        for (List<String> path : paths) {
            TarArchiveEntry entry = directories.get(path);
            int parent = folders.open(path.isEmpty() ? path : path.subList(0, path.size() - 1), false);
            String name = path.isEmpty() ? "." : path.getLast();
            if (posix.kind(parent, name) != Posix.Kind.DIRECTORY) {
                continue;
            }
            if (root) {
                posix.chown(parent, name, id(entry, entry.getLongUserId()), id(entry, entry.getLongGroupId()));
            }
            // Without root the store must stay able to delete what it unpacked.
            posix.chmod(parent, name, (entry.getMode() & 07777) | (root ? 0 : 0700));
            touch(parent, name, entry);
        }
    }

    private static List<String> components(String name) throws IOException {
        if (name.indexOf('\0') >= 0) {
            throw new IOException("a name holds a zero byte");
        }
        List<String> path = new ArrayList<>();
        for (String part : name.split("/", -1)) {
            if (part.equals("..")) {
                if (path.isEmpty()) {
                    throw new IOException("\"" + name + "\" leads outside of the image");
                }
                path.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                path.add(part);
            }
        }
        return path;
    }

    private static ImageException tooLarge(String what) {
        return new ImageException(ImageException.Kind.TOO_LARGE, "the layer is too large: " + what);
    }

    /** Bounds what the tar reader may take in for one header, since it keeps long names in memory. */
    private static final class HeaderGuard extends FilterInputStream {
        private long left = Long.MAX_VALUE;

        HeaderGuard(InputStream in) {
            super(in);
        }

        void limit(long limit) {
            left = limit;
        }

        void lift() {
            left = Long.MAX_VALUE;
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            spend(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = super.read(target, offset, length);
            spend(Math.max(count, 0));
            return count;
        }

        @Override
        public long skip(long count) throws IOException {
            long skipped = super.skip(count);
            spend(skipped);
            return skipped;
        }

        private void spend(long count) throws IOException {
            if (left == Long.MAX_VALUE) {
                return;
            }
            left -= count;
            if (left < 0) {
                throw new IOException("malformed tar header: longer than " + HEADER_BYTES + " bytes");
            }
        }
    }
}
