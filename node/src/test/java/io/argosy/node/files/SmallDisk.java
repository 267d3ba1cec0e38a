package io.argosy.node.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A real file system of a few megabytes in a file, which a test mounts, fills and throws away. */
public final class SmallDisk implements AutoCloseable {
    private static final long SIZE = 8 << 20;

    private final Path at;

    private SmallDisk(Path at) {
        this.at = at;
    }

    /** Mounts a fresh ext4 at the folder. The test is skipped where that cannot be done. */
    public static SmallDisk mount(Path image, Path at) throws IOException {
        return mount(image, at, SIZE, List.of("mkfs.ext4", "-q", "-m", "0"), "nodelalloc");
    }

    /** Made by another command, to which the file is added, and mounted with these options. */
    public static SmallDisk mount(Path image, Path at, long size, List<String> make, String options)
            throws IOException {
        require(System.getProperty("user.name").equals("root"), "mounting a file system needs root");
        require(Files.exists(Path.of("/dev/loop-control")), "this machine has no loop devices");
        require(isProgram(make.getFirst()), "this machine has no " + make.getFirst());
        Files.createDirectories(at);
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), size - 1);
        }
        List<String> command = new ArrayList<>(make);
        command.add(image.toString());
        run(command.toArray(String[]::new));
        try {
            run("mount", "-o", "loop," + options, image.toString(), at.toString());
        } catch (AssertionError e) {
            throw new Unmountable(e);
        }
        return new SmallDisk(at);
    }

    private static boolean isProgram(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /** The kernel would not mount it, perhaps because it has not what the options ask for. */
    public static final class Unmountable extends IOException {
        private static final long serialVersionUID = 1L;

        Unmountable(AssertionError said) {
            super(said);
        }
    }

    private static void require(boolean there, String otherwise) {
        if (!there) {
            System.out.println("SKIPPED: " + otherwise);
        }
        Assumptions.assumeTrue(there, otherwise);
    }

    /** Leaves not one block free. */
    public void fill() throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(1024);
        for (int file = 0; file < 3; file++) { // what one could not have for its own bookkeeping, the next takes
            try (FileChannel filler =
                    FileChannel.open(filler(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                while (true) {
                    filler.write(chunk.clear());
                }
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("No space left on device");
            }
        }
    }

    /** Gives back what {@link #fill} took. */
    public void free() throws IOException {
        for (int file = 0; file < 3; file++) {
            Files.deleteIfExists(filler(file));
        }
    }

    private Path filler(int number) {
        return at.resolve("filler-" + number);
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", at.toString());
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.onExit().join().exitValue())
                .as("%s: %s", Arrays.toString(command), said)
                .isZero();
    }
}
