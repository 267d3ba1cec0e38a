package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No library that is delivered has a hole that the list of them knows. Nobody is asked over the network: the list is kept by hand. */
class KnownHolesTest {
    private static final Pattern JAR = Pattern.compile("(.+?)-(\\d[^-]*(?:-jre|-SNAPSHOT)?)(?:-[a-z].*)?\\.jar");

    private final List<Hole> holes = new ArrayList<>();
    private final List<String> accepted = new ArrayList<>();

    private record Hole(String artifact, Version from, Version fixed, String name) {
        boolean isIn(String library, Version version) {
            return library.equals(artifact) && version.compareTo(from) >= 0 && version.compareTo(fixed) < 0;
        }
    }

    KnownHolesTest() throws IOException {
        try (var file = KnownHolesTest.class.getResourceAsStream("/known-holes.txt")) {
            for (String line : new String(file.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String[] words = line.strip().split("\\s+");
                if (words[0].equals("accepted")) {
                    accepted.add(words[1] + " " + words[2].replace(":", ""));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    holes.add(new Hole(words[0], Version.parse(words[1]), Version.parse(words[2]), words[3]));
                }
            }
        }
    }

    /** The holes of a library, by its file's name. */
    private List<String> holesOf(String jar) {
        Matcher parts = JAR.matcher(jar);
        assertThat(parts.matches()).as("name and version of " + jar).isTrue();
        Version version = Version.parse(parts.group(2));
        return holes.stream()
                .filter(hole -> hole.isIn(parts.group(1), version))
                .map(hole -> hole.artifact() + " " + hole.name())
                .toList();
    }

    private static TreeSet<String> delivered() throws IOException {
        TreeSet<String> jars = new TreeSet<>();
        for (String place : List.of(
                "cli/target/argosy/lib",
                "operators/target/image/lib",
                "examples/network-controller/target/app",
                "examples/sidecar-injector/target/app")) {
            try (Stream<Path> files = Files.list(Machine.project().resolve(place))) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".jar"))
                        .forEach(jars::add);
            } catch (IOException e) {
                throw new UncheckedIOException("what is delivered must have been built", e);
            }
        }
        return jars;
    }

    @Test
    void nothingDeliveredHasOne() throws IOException {
        List<String> found = new ArrayList<>();
        for (String jar : delivered()) {
            holesOf(jar).stream()
                    .filter(hole -> !accepted.contains(hole))
                    .forEach(hole -> found.add(jar + ": " + hole));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void theListIsRead() {
        assertThat(holesOf("netty-codec-http2-4.1.99.Final.jar")).containsExactly("netty-codec-http2 CVE-2023-44487");
        assertThat(holesOf("netty-codec-http2-4.2.13.Final.jar")).isEmpty();
        assertThat(holesOf("guava-31.1-jre.jar")).containsExactly("guava CVE-2023-2976");
        assertThat(holesOf("snakeyaml-1.33.jar")).containsExactly("snakeyaml CVE-2022-1471");
        assertThat(holesOf("snakeyaml-engine-1.0.jar")).isEmpty();
        assertThat(holesOf("netty-tcnative-boringssl-static-2.0.84.Final-linux-x86_64.jar"))
                .isEmpty();
    }

    @Test
    void whatIsAcceptedIsStillThere() throws IOException {
        List<String> all = new ArrayList<>();
        delivered().forEach(jar -> all.addAll(holesOf(jar)));
        assertThat(all).containsAll(accepted);
    }
}
