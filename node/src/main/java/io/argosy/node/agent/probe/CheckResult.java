package io.argosy.node.agent.probe;

/** What one look at a container brought: well or not, and what to tell people if not. */
public record CheckResult(boolean ok, String output) {
    public static final CheckResult OK = new CheckResult(true, "");

    public static CheckResult failed(String output) {
        return new CheckResult(false, output);
    }
}
