package io.argosy.cli;

import io.argosy.cluster.Authentication;
import io.argosy.cluster.Cluster;
import io.argosy.cluster.ClusterBuilder;
import io.argosy.cluster.ClusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code up} was asked for, in a form that can be handed to another process.
 *
 * @param node whether this machine is a node
 * @param simulatedNodes how many nodes to pretend to have
 * @param loadBalancer whether the nodes answer for Services of type LoadBalancer
 * @param store where the state is kept
 * @param authentication who else is somebody
 * @param schedulerConfig how pods are placed, if not as usual
 * @param protection how it is protected
 * @param nodeOptions what else this machine's node is told
 */
public record Settings(
        Path home,
        int port,
        boolean node,
        int simulatedNodes,
        String nodeName,
        String podCidr,
        String serviceCidr,
        boolean loadBalancer,
        StoreChoice store,
        Authentication authentication,
        Optional<Path> schedulerConfig,
        Protection protection,
        NodeOptions.Chosen nodeOptions) {

    /** With the state in the home, protected as usual. */
    public Settings(
            Path home,
            int port,
            boolean node,
            int simulatedNodes,
            String nodeName,
            String podCidr,
            String serviceCidr) {
        this(
                home,
                port,
                node,
                simulatedNodes,
                nodeName,
                podCidr,
                serviceCidr,
                true,
                StoreChoice.EMBEDDED,
                Authentication.OWN,
                Optional.empty(),
                Protection.USUAL,
                NodeOptions.Chosen.USUAL);
    }

    /** As arguments of {@link Daemon}. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(List.of(
                "home=" + home,
                "port=" + port,
                "node=" + node,
                "simulated-nodes=" + simulatedNodes,
                "node-name=" + nodeName,
                "pod-cidr=" + podCidr,
                "service-cidr=" + serviceCidr,
                "load-balancer=" + loadBalancer));
        arguments.addAll(store.arguments());
        authentication.tokenFile().ifPresent(file -> arguments.add("token-auth-file=" + file));
        authentication.configFile().ifPresent(file -> arguments.add("authentication-config=" + file));
        authentication.proxyFile().ifPresent(file -> arguments.add("requestheader-client-ca-file=" + file));
        arguments.add("requestheader-allowed-names=" + String.join(",", authentication.proxyNames()));
        schedulerConfig.ifPresent(file -> arguments.add("scheduler-config=" + file));
        arguments.addAll(protection.arguments());
        arguments.addAll(nodeOptions.arguments());
        return arguments;
    }

    /** Names with commas between them; none if there is no text. */
    static Set<String> names(String text) {
        return text.isEmpty() ? Set.of() : Set.copyOf(List.of(text.split(",")));
    }

    static Settings parse(String[] arguments) {
        Path home = null;
        int port = 6443;
        boolean node = false;
        int simulated = 0;
        String nodeName = "";
        String podCidr = "";
        String serviceCidr = "";
        boolean loadBalancer = true;
        Optional<Path> tokenFile = Optional.empty();
        Optional<Path> configFile = Optional.empty();
        Optional<Path> proxyFile = Optional.empty();
        Optional<Path> schedulerConfig = Optional.empty();
        Set<String> proxyNames = Authentication.OWN.proxyNames();
        Map<String, String> nodeOptions = new HashMap<>();
        Map<String, String> store = new HashMap<>();
        Map<String, String> protection = new HashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String value = argument.substring(equals + 1);
            String name = argument.substring(0, Math.max(0, equals));
            switch (name) {
                case "home" -> home = Path.of(value);
                case "port" -> port = Integer.parseInt(value);
                case "node" -> node = Boolean.parseBoolean(value);
                case "simulated-nodes" -> simulated = Integer.parseInt(value);
                case "node-name" -> nodeName = value;
                case "pod-cidr" -> podCidr = value;
                case "service-cidr" -> serviceCidr = value;
                case "load-balancer" -> loadBalancer = Boolean.parseBoolean(value);
                case "token-auth-file" -> tokenFile = Optional.of(Path.of(value));
                case "authentication-config" -> configFile = Optional.of(Path.of(value));
                case "requestheader-client-ca-file" -> proxyFile = Optional.of(Path.of(value));
                case "scheduler-config" -> schedulerConfig = Optional.of(Path.of(value));
                case "requestheader-allowed-names" -> proxyNames = names(value);
                default -> {
                    if (StoreChoice.isArgument(name)) {
                        store.put(name, value);
                    } else if (Protection.isArgument(name)) {
                        protection.put(name, value);
                    } else if (NodeOptions.Chosen.isArgument(name)) {
                        nodeOptions.put(name, value);
                    } else {
                        throw new IllegalArgumentException("unknown argument " + argument);
                    }
                }
            }
        }
        return new Settings(
                home,
                port,
                node,
                simulated,
                nodeName,
                podCidr,
                serviceCidr,
                loadBalancer,
                StoreChoice.ofArguments(store),
                new Authentication(tokenFile, configFile, proxyFile, proxyNames),
                schedulerConfig,
                new Protection(protection),
                NodeOptions.Chosen.of(nodeOptions));
    }

    ClusterBuilder builder() {
        ClusterBuilder builder = Cluster.builder()
                .home(home)
                .port(port)
                .simulatedNodes(simulatedNodes)
                .etcd(store.etcd())
                .loadBalancer(loadBalancer)
                .authentication(authentication)
                .runtime(node ? ClusterConfig.Runtime.OCI : ClusterConfig.Runtime.NONE);
        protection.applyTo(builder, home);
        nodeOptions.applyTo(builder, home);
        schedulerConfig.ifPresent(builder::schedulerConfig);
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
