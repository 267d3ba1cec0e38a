package io.argosy.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A secret that somebody has put into a running cluster stands in nothing that the cluster's process writes. */
class PlantedSecretTest {
    private static final int NETWORK = 41;
    private static final String PLANTED = "Xyzzy-planted-Qux";
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            rules:
            - level: Metadata
              resources: [{group: "", resources: [secrets]}]
            - level: RequestResponse
            """;

    @TempDir
    Path folder;

    @Test
    void nothingThatIsWrittenHoldsIt() throws IOException {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl on this machine");
        Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
        try (Argosy argosy = new Argosy(folder.resolve("home"), NETWORK)) {
            argosy.up("--runtime", "simulated", "--audit-policy", policy.toString());
            Kubectl kubectl = argosy.kubectl();
            plant(kubectl);
            assertThat(kubectl.ok("get", "secret", "good", "-o", "jsonpath={.data.k}"))
                    .isEqualTo(Base64.getEncoder().encodeToString(PLANTED.getBytes(UTF_8)));
            assertThat(argosy.command("secrets", "rotate").run().ok()).contains("Added the key 'key2'", "(secrets)");
            Map<String, String> said = new LinkedHashMap<>();
            said.put("events", kubectl.ok("get", "events", "-A", "-o", "yaml"));
            said.put("metrics", kubectl.ok("get", "--raw", "/metrics"));
            said.put("status", argosy.command("status").run().all());
            files(argosy.home(), said);
            assertThat(said.keySet()).anyMatch(name -> name.endsWith("audit.log"));
            assertThat(said.keySet()).anyMatch(name -> name.contains("store.db"));
            assertHoldsNothing(said);
            crash(argosy);
            said.clear();
            files(argosy.home(), said);
            assertThat(said.keySet()).anyMatch(name -> name.contains("log/crash-"));
            assertHoldsNothing(said);
            forgetCrash(argosy);
            argosy.up("--runtime", "simulated");
            assertThat(kubectl.ok("get", "secret", "good", "-o", "jsonpath={.data.k}"))
                    .isNotEmpty();
        }
    }

    /** As a fault in native code would end it; it writes a report then, and must not write its memory. */
    private static void crash(Argosy argosy) {
        ProcessHandle process = ProcessHandle.of(argosy.pid()).orElseThrow();
        Command.of("kill", "-SEGV", Long.toString(process.pid())).run().ok();
        process.onExit().join();
    }

    /** It was meant; the end of the test looks for those that were not. */
    private static void forgetCrash(Argosy argosy) throws IOException {
        try (DirectoryStream<Path> reports =
                Files.newDirectoryStream(argosy.home().resolve("log"), "crash-*")) {
            for (Path report : reports) {
                Files.delete(report);
            }
        }
    }

    /** In good requests and in bad ones. */
    private static void plant(Kubectl kubectl) {
        kubectl.ok("create", "secret", "generic", "good", "--from-literal=k=" + PLANTED);
        kubectl.ok("create", "secret", "generic", "gone", "--from-literal=k=" + PLANTED);
        kubectl.ok("patch", "secret", "gone", "-p", "{\"stringData\":{\"other\":\"" + PLANTED + "\"}}");
        kubectl.ok("delete", "secret", "gone");
        kubectl.apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: fixed}
                immutable: true
                stringData: {k: %s}
                """.formatted(PLANTED)).ok();
        String head = "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'bad'},";
        List<String> bad = List.of(
                head.replace("bad", "fixed") + "'stringData':{'k':'more-%s'}}",
                head + "'stringData':{'a b':'%s'}}",
                head + "'data':{'k':'%s'}}",
                head + "'data':['%s']}",
                head + "'data':'%s'}");
        for (String manifest : bad) {
            Command.Outcome refused = kubectl.command("apply", "--validate=false", "-f", "-")
                    .input(manifest.formatted(PLANTED).replace('\'', '"'))
                    .run();
            assertThat(refused.code()).as(manifest).isNotZero();
        }
        String unknown = head.replace("bad", "loose") + "'stringDatum':{'k':'%s'}}";
        kubectl.command("apply", "--validate=false", "-f", "-")
                .input(unknown.formatted(PLANTED).replace('\'', '"'))
                .run();
        kubectl.run(
                "patch",
                "secret",
                "good",
                "--type=json",
                "-p",
                "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"" + PLANTED + "\"}]");
        kubectl.ok("create", "deployment", "web", "--image=i:1");
        kubectl.ok("set", "env", "deployment/web", "--from=secret/good");
    }

    private static void files(Path home, Map<String, String> said) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            files.filter(Files::isRegularFile).forEach(file -> said.put(file.toString(), read(file)));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Neither as it is nor as base64 at any of its three offsets. */
    private static void assertHoldsNothing(Map<String, String> said) {
        said.forEach((where, text) -> {
            assertThat(text.contains(PLANTED)).as(where).isFalse();
            for (int offset = 0; offset < 3; offset++) {
                String encoded =
                        Base64.getEncoder().encodeToString(("...".substring(0, offset) + PLANTED).getBytes(UTF_8));
                String inner = encoded.substring(offset == 0 ? 0 : 4, encoded.length() - 4);
                assertThat(text.contains(inner)).as(where).isFalse();
            }
        });
    }
}
