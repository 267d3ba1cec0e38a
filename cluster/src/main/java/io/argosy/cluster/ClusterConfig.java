package io.argosy.cluster;

import io.argosy.node.agent.NodeSettings;
import io.argosy.scheduler.Profile;
import io.argosy.server.audit.Audit;
import io.argosy.store.etcd.EtcdConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * What an instance is told; {@link Cluster#builder} fills in the usual values.
 *
 * @param home the folder for keys, state, images and logs
 * @param port the API server's; 0 for any free one
 * @param runtime what runs the pods of this machine's node
 * @param simulatedNodes how many nodes to pretend to have
 * @param address this machine's own, under which pods and other machines reach it
 * @param podCidr the range of pod addresses, or one of each family with a comma between
 * @param serviceCidr the same for Services; the first is the default
 * @param loadBalancer whether the nodes answer for Services of type LoadBalancer
 * @param etcd where the state is kept; null for a database of our own in the home
 * @param authentication who else than the holders of our own certificates and tokens is somebody
 * @param encrypt the resources that are encrypted in the store, if that is to change; Secrets are unless somebody says otherwise
 * @param audit what is written down of requests, if anything is
 * @param node what is wished of this machine's node; without a folder of manifests it takes the home's
 * @param profiles how the scheduler places pods, by their schedulerName
 */
public record ClusterConfig(
        Path home,
        int port,
        Runtime runtime,
        int simulatedNodes,
        String nodeName,
        String address,
        String podCidr,
        String serviceCidr,
        String clusterDomain,
        OptionalInt dnsPort,
        boolean loadBalancer,
        EtcdConfig etcd,
        Authentication authentication,
        Optional<List<String>> encrypt,
        Optional<Audit.Config> audit,
        NodeSettings node,
        List<Profile> profiles) {

    /** What stands behind the node of this machine. */
    public enum Runtime {
        /** Real containers: runc, conmon, CNI. */
        OCI,
        /** None: only simulated nodes, if any. */
        NONE
    }

    List<String> podCidrs() {
        return List.of(podCidr.split(","));
    }

    List<String> serviceCidrs() {
        return List.of(serviceCidr.split(","));
    }

    /** The machine's addresses of the families that pods have. */
    List<String> nodeAddresses() {
        boolean both = podCidrs().stream().anyMatch(cidr -> cidr.indexOf(':') >= 0);
        return both
                ? Stream.concat(Stream.of(address), OwnAddresses.ipv6().stream())
                        .toList()
                : List.of(address);
    }

    /** The address of the n-th service: the first is the API server's, the tenth the DNS's. */
    String serviceAddress(int n) {
        String first = serviceCidrs().getFirst();
        String network = first.substring(0, first.indexOf('/'));
        int dot = network.lastIndexOf('.');
        return network.substring(0, dot + 1) + (Integer.parseInt(network.substring(dot + 1)) + n);
    }

    String apiServiceAddress() {
        return serviceAddress(1);
    }

    String dnsServiceAddress() {
        return serviceAddress(10);
    }
}
