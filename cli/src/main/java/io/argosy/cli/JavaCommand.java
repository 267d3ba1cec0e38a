package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the background process is started: this Java, the same class path, flags for a quick start and a small heap. */
final class JavaCommand {
    static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:TieredStopAtLevel=4",
            "-Xms24m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=25",
            "-Xss512k",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private JavaCommand() {}

    static ProcessBuilder daemon(Settings settings, Home home) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid"); // a Ctrl-C in this terminal is not for the daemon
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        String cache = System.getProperty("argosy.aot", "");
        if (!cache.isEmpty() && Files.isReadable(Path.of(cache))) {
            command.add("-XX:AOTCache=" + cache);
        }
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Daemon.class.getName());
        command.addAll(settings.arguments());
        return new ProcessBuilder(command)
                .directory(home.root().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        home.logs().resolve("stderr.log").toFile()));
    }
}
