package io.argosy.node.agent;

import io.argosy.node.agent.log.LogFolders;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a node is told about itself.
 *
 * @param home where the pods' volumes and logs lie
 * @param addresses the node's own addresses, at most one of each family
 * @param clusterDns the address of the cluster's DNS, empty where there is none
 * @param podCidrs the ranges that pod addresses come from, at most one of each family; none where the cluster assigns them
 * @param labels further labels for the Node object
 * @param register whether the agent makes its Node object when it is missing
 */
public record NodeConfig(
        String name,
        Path home,
        List<String> addresses,
        String clusterDns,
        String clusterDomain,
        List<String> podCidrs,
        Map<String, String> labels,
        int maxPods,
        boolean register,
        NodeSettings settings) {
    public static final int DEFAULT_MAX_PODS = 250;

    public NodeConfig {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
        labels = Map.copyOf(labels);
    }

    /** A node with the usual settings. */
    public static NodeConfig of(String name, Path home, String address, String clusterDns) {
        return new NodeConfig(
                name,
                home,
                List.of(address),
                clusterDns,
                "cluster.local",
                List.of(),
                Map.of(),
                DEFAULT_MAX_PODS,
                true,
                NodeSettings.USUAL);
    }

    /** The same node, with other addresses of its own and of its pods. */
    public NodeConfig withAddresses(List<String> own, List<String> ofPods) {
        return new NodeConfig(name, home, own, clusterDns, clusterDomain, ofPods, labels, maxPods, register, settings);
    }

    public NodeConfig with(NodeSettings other) {
        return new NodeConfig(
                name, home, addresses, clusterDns, clusterDomain, podCidrs, labels, maxPods, register, other);
    }

    /** The folder of all pods' volumes. */
    public Path pods() {
        return home.resolve("pods");
    }

    /** The folders of all pods' logs. */
    public LogFolders logs() {
        LogFolders own = LogFolders.ofHome(home);
        return settings.podLogs()
                .map(shared -> new LogFolders(own.own(), shared))
                .orElse(own);
    }
}
