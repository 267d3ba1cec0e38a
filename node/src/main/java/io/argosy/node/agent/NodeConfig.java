package io.argosy.node.agent;

import io.argosy.node.agent.eviction.Threshold;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node is told about itself.
 *
 * @param home where the pods' volumes and logs lie
 * @param addresses the node's own addresses, at most one of each family
 * @param clusterDns the address of the cluster's DNS, empty where there is none
 * @param podCidrs the ranges that pod addresses come from, at most one of each family; none where the cluster assigns them
 * @param labels further labels for the Node object
 * @param manifests a folder of pods that the node runs by itself
 * @param eviction how little may be left of what before pods have to go
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
        Optional<Path> manifests,
        List<Threshold> eviction,
        boolean register) {
    public static final int DEFAULT_MAX_PODS = 250;

    public NodeConfig {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
        labels = Map.copyOf(labels);
        eviction = List.copyOf(eviction);
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
                Optional.empty(),
                Threshold.DEFAULT,
                true);
    }

    public NodeConfig withPodCidrs(List<String> cidrs) {
        return new NodeConfig(
                name,
                home,
                addresses,
                clusterDns,
                clusterDomain,
                cidrs,
                labels,
                maxPods,
                manifests,
                eviction,
                register);
    }

    public NodeConfig withAddresses(List<String> own) {
        return new NodeConfig(
                name, home, own, clusterDns, clusterDomain, podCidrs, labels, maxPods, manifests, eviction, register);
    }

    public NodeConfig withLabels(Map<String, String> further) {
        return new NodeConfig(
                name,
                home,
                addresses,
                clusterDns,
                clusterDomain,
                podCidrs,
                further,
                maxPods,
                manifests,
                eviction,
                register);
    }

    public NodeConfig withManifests(Path folder) {
        return new NodeConfig(
                name,
                home,
                addresses,
                clusterDns,
                clusterDomain,
                podCidrs,
                labels,
                maxPods,
                Optional.of(folder),
                eviction,
                register);
    }

    public NodeConfig withEviction(List<Threshold> thresholds) {
        return new NodeConfig(
                name,
                home,
                addresses,
                clusterDns,
                clusterDomain,
                podCidrs,
                labels,
                maxPods,
                manifests,
                thresholds,
                register);
    }

    /** The folder of all pods' volumes. */
    public Path pods() {
        return home.resolve("pods");
    }

    /** The folder of all pods' logs. */
    public Path logs() {
        return home.resolve("logs", "pods");
    }
}
