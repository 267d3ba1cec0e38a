package io.argosy.cluster;

import io.argosy.server.audit.Audit;
import io.argosy.store.etcd.EtcdConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an instance is told; {@link Cluster#builder} fills in the usual values.
 *
 * @param home the folder for keys, state, images and logs
 * @param port the API server's; 0 for any free one
 * @param runtime what runs the pods of this machine's node
 * @param simulatedNodes how many nodes to pretend to have
 * @param address this machine's own, under which pods and other machines reach it
 * @param etcd where the state is kept; null for a database of our own in the home
 * @param encrypt the resources that are encrypted in the store, if that is to change; Secrets are unless somebody says otherwise
 * @param audit what is written down of requests, if anything is
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
        EtcdConfig etcd,
        Optional<List<String>> encrypt,
        Optional<Audit.Config> audit) {

    /** What stands behind the node of this machine. */
    public enum Runtime {
        /** Real containers: runc, conmon, CNI. */
        OCI,
        /** None: only simulated nodes, if any. */
        NONE
    }

    /** The address of the n-th service: the first is the API server's, the tenth the DNS's. */
    String serviceAddress(int n) {
        String network = serviceCidr.substring(0, serviceCidr.indexOf('/'));
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
