package io.argosy.e2e;

import java.nio.file.Path;
import java.util.List;

/** The real kubectl, pointed at one cluster. */
record Kubectl(Path program, Path kubeconfig) {
    private static final int LAST_EVENTS = 25;

    Command.Outcome run(String... words) {
        return command(words).run();
    }

    Command command(String... words) {
        return Command.of(program.toString())
                .and(words)
                .with("KUBECONFIG", kubeconfig.toString())
                .with("HOME", kubeconfig.getParent().toString());
    }

    /** kubectl on a terminal of this size, as a person has it in front of them. */
    Command atTerminal(int columns, int rows, String... words) {
        String line = "stty cols " + columns + " rows " + rows + "; exec " + program + " " + String.join(" ", words);
        return Command.of("script", "-qec", line, "/dev/null")
                .with("KUBECONFIG", kubeconfig.toString())
                .with("HOME", kubeconfig.getParent().toString());
    }

    /** The output of a command that must succeed. */
    String ok(String... words) {
        return run(words).ok();
    }

    Command.Outcome apply(String manifest) {
        return command("apply", "-f", "-").input(manifest).run();
    }

    List<String> names(String resource, String... more) {
        Command command = command("get", resource, "-o", "name").and(more);
        String out = command.run().ok();
        return out.isEmpty() ? List.of() : List.of(out.split("\n"));
    }

    String version() {
        return program.getFileName().toString().equals("kubectl")
                ? "Debian's kubectl"
                : program.getFileName().toString();
    }

    /** Waits until what kubectl prints is as it should be. */
    void await(String what, java.util.function.Predicate<String> condition, String... words) {
        Eventually.holds(
                what + ": kubectl " + String.join(" ", words),
                () -> condition.test(run(words).all()),
                () -> situation() + "\nit says: " + run(words).all());
    }

    /** The pods and what happened last: enough to tell where something hangs, and no more than a person reads. */
    private String situation() {
        List<String> events = run("get", "events", "-A", "--sort-by=.lastTimestamp")
                .all()
                .lines()
                .toList();
        return run("get", "pods", "-A", "-o", "wide").all() + "\n"
                + String.join("\n", events.subList(Math.max(0, events.size() - LAST_EVENTS), events.size()));
    }
}
