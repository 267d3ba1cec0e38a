package io.argosy.cli;

import io.argosy.cluster.Cluster;
import io.argosy.cluster.ClusterBuilder;
import io.argosy.cluster.ClusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code up} was asked for, in a form that can be handed to another process.
 *
 * @param node whether this machine is a node
 * @param simulatedNodes how many nodes to pretend to have
 */
public record Settings(
        Path home, int port, boolean node, int simulatedNodes, String nodeName, String podCidr, String serviceCidr) {

    /** As arguments of {@link Daemon}. */
    List<String> arguments() {
        return new ArrayList<>(List.of(
                "home=" + home,
                "port=" + port,
                "node=" + node,
                "simulated-nodes=" + simulatedNodes,
                "node-name=" + nodeName,
                "pod-cidr=" + podCidr,
                "service-cidr=" + serviceCidr));
    }

    static Settings parse(String[] arguments) {
        Path home = null;
        int port = 6443;
        boolean node = false;
        int simulated = 0;
        String nodeName = "";
        String podCidr = "";
        String serviceCidr = "";
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String value = argument.substring(equals + 1);
            switch (argument.substring(0, Math.max(0, equals))) {
                case "home" -> home = Path.of(value);
                case "port" -> port = Integer.parseInt(value);
                case "node" -> node = Boolean.parseBoolean(value);
                case "simulated-nodes" -> simulated = Integer.parseInt(value);
                case "node-name" -> nodeName = value;
                case "pod-cidr" -> podCidr = value;
                case "service-cidr" -> serviceCidr = value;
                default -> throw new IllegalArgumentException("unknown argument " + argument);
            }
        }
        return new Settings(home, port, node, simulated, nodeName, podCidr, serviceCidr);
    }

    ClusterBuilder builder() {
        ClusterBuilder builder = Cluster.builder()
                .home(home)
                .port(port)
                .simulatedNodes(simulatedNodes)
                .runtime(node ? ClusterConfig.Runtime.OCI : ClusterConfig.Runtime.NONE);
        if (!nodeName.isEmpty()) {
            builder.nodeName(nodeName);
        }
        if (!podCidr.isEmpty()) {
            builder.podCidr(podCidr);
        }
        if (!serviceCidr.isEmpty()) {
            builder.serviceCidr(serviceCidr);
        }
        return builder;
    }
}
