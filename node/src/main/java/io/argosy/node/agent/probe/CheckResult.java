package io.argosy.node.agent.probe;

/** What one look at a container brought, and what to tell people if it was not simply well. */
public record CheckResult(Kind kind, String output) {
    /** A look that could not be taken at all says nothing about the container. */
    public enum Kind {
        OK,
        WARNING,
        FAILED,
        ERRORED
    }

    public static final CheckResult OK = new CheckResult(Kind.OK, "");

    public static CheckResult failed(String output) {
        return new CheckResult(Kind.FAILED, output);
    }

    static CheckResult warning(String output) {
        return new CheckResult(Kind.WARNING, output);
    }

    static CheckResult errored(String output) {
        return new CheckResult(Kind.ERRORED, output);
    }

    public boolean ok() {
        return kind == Kind.OK || kind == Kind.WARNING;
    }
}
