package io.argosy.node.agent.probe;

import io.argosy.node.agent.env.Expansion;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** The container that a probe or hook is about, and the address under which it answers. */
public record Target(String containerId, String ip, Container container) {

    /** The number of a port given by number or by name. */
    OptionalInt port(IntOrString port) {
        if (port.getIntVal() != null) {
            return OptionalInt.of(port.getIntVal());
        }
        for (ContainerPort candidate : container.getPorts()) {
            if (port.getStrVal().equals(candidate.getName())) {
                return OptionalInt.of(candidate.getContainerPort());
            }
        }
        try {
            return OptionalInt.of(Integer.parseInt(port.getStrVal()));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    /** A command with the container's variables put in; a probe knows only those that stand in the spec itself. */
    List<String> expanded(List<String> command) {
        Map<String, String> variables = new HashMap<>();
        container
                .getEnv()
                .forEach(variable ->
                        variables.put(variable.getName(), variable.getValue() == null ? "" : variable.getValue()));
        return command.stream()
                .map(word -> Expansion.expand(word, variables::get))
                .toList();
    }

    /** What is said of a port that {@link #port} does not find. */
    static String noPort(IntOrString port) {
        return "couldn't find port: " + port.getStrVal();
    }

    /** Host and port as one writes them together. */
    static String joined(String host, int port) {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
