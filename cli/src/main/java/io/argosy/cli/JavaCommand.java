package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the background process is started: this Java, the same class path, flags for a quick start and a small heap. */
public final class JavaCommand {
    static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0", // the cache is mapped where it was made: nothing to patch, pages stay shared
            "-Xms96m",
            "-XX:NewSize=64m", // for a small cluster; with a large heap a seventh of it
            "-XX:SurvivorRatio=4", // what is on its way when many pods come is not yet old
            "-XX:MaxNewSize=1g",
            "-XX:NewRatio=6",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=25",
            "-XX:-ShrinkHeapInSteps", // what a collection frees is given back at once
            "-Xss512k",
            "-XX:-CreateCoredumpOnCrash", // a dump would hold what is encrypted on the disk
            "-Dio.netty.jfr.enabled=false", // its events would start the whole flight recorder, a fifth of the start
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    private JavaCommand() {}

    static ProcessBuilder daemon(Settings settings, Home home) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid"); // a Ctrl-C in this terminal is not for the daemon
        }
        command.addAll(words(settings, System.getProperty("java.class.path")));
        return new ProcessBuilder(command)
                .directory(home.root().toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        home.logs().resolve("stderr.log").toFile()));
    }

    /** The words that start the daemon itself, for whoever must start it just as {@code up} does. */
    public static List<String> words(Settings settings, String classPath) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(FLAGS);
        words.add("-XX:ErrorFile=" + new Home(settings.home()).logs().resolve("crash-%p.log"));
        String cache = System.getProperty("argosy.aot", "");
        if (!cache.isEmpty() && Files.isReadable(Path.of(cache))) {
            words.add("-XX:AOTCache=" + cache);
        }
        words.addAll(List.of("-cp", classPath, Daemon.class.getName()));
        words.addAll(settings.arguments());
        return words;
    }
}
