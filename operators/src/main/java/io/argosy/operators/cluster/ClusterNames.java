package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** What the parts of a cluster are called, where they are found, and how they are known to be its own. */
public final class ClusterNames {
    public static final int CLIENT_PORT = 2379;
    public static final int PEER_PORT = 2380;
    public static final int METRICS_PORT = 2381;

    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int SUFFIX = 10;

    private ClusterNames() {}

    public static Map<String, String> labels(String cluster) {
        return Map.of(Names.APP_LABEL, Names.APP, Names.CLUSTER_LABEL, cluster);
    }

    /** A name that no member has had. */
    public static String newMember(EtcdCluster cluster, RandomGenerator random) {
        StringBuilder name = new StringBuilder(cluster.getMetadata().getName()).append('-');
        for (int i = 0; i < SUFFIX; i++) {
            name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return name.toString();
    }

    /** The name under which a member is found, by its peers and by clients, whichever pod it runs in. */
    public static String host(EtcdCluster cluster, String member) {
        return member + "." + cluster.getMetadata().getName() + "."
                + cluster.getMetadata().getNamespace() + ".svc";
    }

    public static String peerUrl(EtcdCluster cluster, String member) {
        return scheme(isSecureForPeers(cluster)) + host(cluster, member) + ":" + PEER_PORT;
    }

    /** The member of this cluster that is found at a peer's address, if it is one of its own. */
    static Optional<String> memberAt(EtcdCluster cluster, String peerUrl) {
        String host = peerUrl.replaceFirst("^https?://", "").replaceFirst(":\\d+$", "");
        String rest = host(cluster, "");
        return host.length() > rest.length() && host.endsWith(rest)
                ? Optional.of(host.substring(0, host.length() - rest.length()))
                : Optional.empty();
    }

    static String clientUrl(EtcdCluster cluster, String host) {
        return scheme(isSecureForClients(cluster)) + host + ":" + CLIENT_PORT;
    }

    static String clientService(EtcdCluster cluster) {
        return cluster.getMetadata().getName() + "-client";
    }

    static boolean isSecureForPeers(EtcdCluster cluster) {
        return cluster.getSpec().tls() != null && cluster.getSpec().tls().coversPeers();
    }

    static boolean isSecureForClients(EtcdCluster cluster) {
        return cluster.getSpec().tls() != null && cluster.getSpec().tls().coversClients();
    }

    private static String scheme(boolean secure) {
        return secure ? "https://" : "http://";
    }

    public static OwnerReference owner(EtcdCluster cluster) {
        return new OwnerReferenceBuilder()
                .withApiVersion(cluster.getApiVersion())
                .withKind(cluster.getKind())
                .withName(cluster.getMetadata().getName())
                .withUid(cluster.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }

    /** Not of a cluster of the same name before it. */
    public static boolean isOwn(EtcdCluster cluster, HasMetadata object) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(cluster.getMetadata().getUid()));
    }
}
