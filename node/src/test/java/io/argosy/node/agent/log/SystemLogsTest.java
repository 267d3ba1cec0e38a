package io.argosy.node.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine's logs can be read, and nothing else of the machine. */
class SystemLogsTest {
    @TempDir
    Path machine;

    private SystemLogs logs;

    @BeforeEach
    void write() throws IOException {
        Path folder = Files.createDirectories(machine.resolve("log"));
        Files.writeString(machine.resolve("secret"), "secret");
        Files.writeString(folder.resolve("a <b>.log"), "words");
        Files.createDirectories(folder.resolve("apt"));
        Files.writeString(folder.resolve("apt/history.log"), "installed");
        Files.createSymbolicLink(folder.resolve("out"), machine.resolve("secret"));
        Files.createSymbolicLink(folder.resolve("within"), Path.of("apt/history.log"));
        logs = new SystemLogs(folder);
    }

    private String text(String path) throws IOException {
        try (var content = logs.open(path).orElseThrow().content()) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void filesAndFoldersAreShown() throws IOException {
        assertThat(text("apt/history.log")).isEqualTo("installed");
        assertThat(text("within")).isEqualTo("installed");
        assertThat(logs.open("").orElseThrow().contentType()).startsWith("text/html");
        assertThat(text(""))
                .contains("<a href=\"apt/\">apt/</a>\n")
                .contains("<a href=\"a%20%3Cb%3E.log\">a &lt;b&gt;.log</a>\n");
        assertThat(text("apt/")).contains("history.log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../secret", "apt/../../secret", "out", "/../secret", "nothing", "a\0b"})
    void nothingOutsideOfTheFolderIs(String path) throws IOException {
        assertThat(logs.open(path)).isEmpty();
    }
}
