package io.argosy.operators.resource;

/** The words by which objects find each other. */
public final class Names {
    public static final String GROUP = "etcd.database.coreos.com";
    public static final String VERSION = "v1beta2";

    /** Labels of everything that belongs to a cluster, as the original operator has them. */
    public static final String APP_LABEL = "app";

    public static final String APP = "etcd";
    public static final String CLUSTER_LABEL = "etcd_cluster";
    public static final String MEMBER_LABEL = "etcd_node";

    /** Notes on a member's volume and pod, so that its pod can be made again just as it was. */
    public static final String VERSION_NOTE = "etcd.version";

    public static final String INITIAL_CLUSTER_NOTE = GROUP + "/initial-cluster";
    public static final String STATE_NOTE = GROUP + "/initial-cluster-state";
    public static final String TOKEN_NOTE = GROUP + "/initial-cluster-token";
    /** On the volume of a member that was made of a snapshot, until the cluster has gone on from it. */
    public static final String RESTORED_NOTE = GROUP + "/restored-by";

    public static final String FORCE_NOTE = GROUP + "/force-new-cluster";

    /** On an EtcdCluster: a value that was not there before asks for new certificates, or for a new authority. */
    public static final String ROTATE_CERTIFICATES = GROUP + "/rotate-certificates";

    public static final String ROTATE_AUTHORITY = GROUP + "/rotate-authority";

    /** On a member's pod: whom etcd trusts in it, since it reads that only when it starts. */
    public static final String TRUST_NOTE = GROUP + "/trust";

    /** On a member's pod and volume: a digest of what it was made of, by which it is known whether it would be made otherwise. */
    public static final String MADE_NOTE = GROUP + "/made-of";

    private Names() {}
}
