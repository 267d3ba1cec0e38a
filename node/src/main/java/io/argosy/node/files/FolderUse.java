package io.argosy.node.files;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** How much lies in a folder: bytes of files, and everything that has an inode. */
public record FolderUse(long bytes, long inodes) {
    public static final FolderUse NONE = new FolderUse(0, 0);

    public FolderUse plus(FolderUse other) {
        return new FolderUse(bytes + other.bytes, inodes + other.inodes);
    }

    /** What changes or goes while it is looked at is counted or not; a folder that is not there is empty. */
    public static FolderUse of(Path folder) throws IOException {
        long[] total = new long[2];
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                total[1]++;
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                total[0] += attributes.isRegularFile() ? attributes.size() : 0;
                total[1]++;
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return new FolderUse(total[0], total[1]);
    }
}
