package io.argosy.node.runtime;

import java.util.List;

/** A command to run in a container, and which of its streams are wanted. With a tty, stderr comes with stdout. */
public record ExecRequest(List<String> command, boolean tty, boolean stdin, boolean stdout, boolean stderr) {
    public ExecRequest {
        command = List.copyOf(command);
    }
}
