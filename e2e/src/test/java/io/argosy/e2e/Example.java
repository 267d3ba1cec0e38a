package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** One of the project's examples, on an instance of its own: its images made by its own script, its manifests applied as they are. */
final class Example implements AutoCloseable {
    private final Path folder;
    private final Argosy argosy;

    /** Skips the test where the example cannot be run. */
    Example(String name, Path home, int network) {
        Machine.assumeContainers("apt-get", "dpkg-deb");
        folder = Machine.project().resolve("examples").resolve(name);
        argosy = new Argosy(home, network);
        Command.of(folder.resolve("make-images").toString(), "--home", home.toString())
                .run()
                .ok();
        argosy.up();
    }

    Argosy argosy() {
        return argosy;
    }

    Kubectl kubectl() {
        return argosy.kubectl();
    }

    void apply(String... manifests) {
        for (String manifest : manifests) {
            kubectl().ok("apply", "-f", folder.resolve(manifest).toString());
        }
    }

    /**
     * Runs a pod with this input until it ends, as {@code kubectl run -i --rm} does, and says what it printed. The command must wait for its
     * input: what it prints before kubectl is attached is lost, here as anywhere.
     */
    String ask(String image, String input, String... command) {
        return kubectl()
                .command("run", "-i", "--rm", "visitor", "--image=" + image, "--restart=Never", "--quiet", "--")
                .and(command)
                .input(input)
                .run()
                .ok();
    }

    String address(String pod) {
        return kubectl().ok("get", "pod", pod, "-o", "jsonpath={.status.podIP}");
    }

    /** Field of one object, as kubectl's jsonpath names it. */
    String field(String object, String path) {
        return kubectl().ok("get", object, "-o", "jsonpath={" + path + "}");
    }

    /** Deletes pods and waits until others of the same names are ready. */
    void replace(String... pods) {
        Map<String, String> old = new LinkedHashMap<>();
        for (String pod : pods) {
            old.put(pod, field("pod/" + pod, ".metadata.uid"));
        }
        kubectl().command("delete", "pod").and(pods).run().ok();
        old.forEach((pod, uid) -> kubectl()
                .await(
                        "another " + pod + " is ready",
                        out -> out.contains("True") && !out.contains(uid),
                        "get",
                        "pod",
                        pod,
                        "-o",
                        "jsonpath={.metadata.uid} {.status.conditions[?(@.type==\"Ready\")].status}"));
    }

    /** When the pod was last found ready. */
    String readySince(String pod) {
        return field("pod/" + pod, ".status.conditions[?(@.type==\"Ready\")].lastTransitionTime");
    }

    /** Ends the instance, and sees to it that nothing of it is left. */
    @Override
    public void close() {
        argosy.command("down", "--wipe", "--yes").run().ok();
        assertThat(argosy.home()).doesNotExist();
        assertThat(Machine.traces(argosy.home()))
                .noneMatch(trace -> trace.startsWith("process") || trace.startsWith("mount"));
    }
}
