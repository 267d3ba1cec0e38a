package io.argosy.node.agent.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Paths of the node itself given to a pod, checked to be what the pod says they are. */
final class HostPaths {
    private static final int TYPE_BITS = 0170000;
    private static final int SOCKET = 0140000;
    private static final int BLOCK_DEVICE = 0060000;
    private static final int CHAR_DEVICE = 0020000;

    private HostPaths() {}

    static Path check(Path path, String type) throws IOException {
        switch (type == null ? "" : type) {
            case "DirectoryOrCreate" -> {
                if (!Files.exists(path)) {
                    Files.createDirectories(path);
                    AtomicFolder.setMode(path, 0755);
                }
                require(Files.isDirectory(path), path, "directory");
            }
            case "Directory" -> require(Files.isDirectory(path), path, "directory");
            case "FileOrCreate" -> {
                if (!Files.exists(path)) {
                    Files.createFile(path);
                    AtomicFolder.setMode(path, 0644);
                }
                require(Files.isRegularFile(path), path, "file");
            }
            case "File" -> require(Files.isRegularFile(path), path, "file");
            case "Socket" -> require(is(path, SOCKET), path, "socket file");
            case "CharDevice" -> require(is(path, CHAR_DEVICE), path, "character device");
            case "BlockDevice" -> require(isBlockDevice(path), path, "block device");
            default -> {
                if (!Files.exists(path)) {
                    Files.createDirectories(path);
                }
            }
        }
        return path;
    }

    static boolean isBlockDevice(Path path) throws IOException {
        return is(path, BLOCK_DEVICE);
    }

    private static boolean is(Path path, int kind) throws IOException {
        return Files.exists(path) && ((int) Files.getAttribute(path, "unix:mode") & TYPE_BITS) == kind;
    }

    private static void require(boolean right, Path path, String kind) {
        if (!right) {
            throw new VolumeException("hostPath type check failed: " + path + " is not a " + kind);
        }
    }
}
