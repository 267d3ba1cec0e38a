package io.argosy.node.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What people read who never heard of Java. */
class FileFailureTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        new FileSystemException("/data/x", null, "No space left on device"),
                        "/data/x: no space left on device"),
                Arguments.of(new NoSuchFileException("/data/x"), "/data/x: no such file or directory"),
                Arguments.of(new FileAlreadyExistsException("/data/x"), "/data/x: file exists"),
                Arguments.of(new AccessDeniedException("/data/x"), "/data/x: permission denied"),
                Arguments.of(new NotDirectoryException("/data/x"), "/data/x: not a directory"),
                Arguments.of(new FileSystemException(null, null, "Read-only file system"), "read-only file system"),
                Arguments.of(new IOException("No space left on device"), "no space left on device"),
                Arguments.of(new IOException("umount /x: No such place"), "umount /x: No such place"),
                Arguments.of(new IOException(), "java.io.IOException"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void itIsSaidInTheSystemsWords(IOException failure, String said) {
        assertThat(FileFailure.say(failure)).isEqualTo(said);
    }
}
