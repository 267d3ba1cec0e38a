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

    private Names() {}
}
