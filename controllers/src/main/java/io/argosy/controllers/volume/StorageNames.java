package io.argosy.controllers.volume;

/** The annotations and finalizers by which the parts of storage speak to each other; most are Kubernetes' own. */
public final class StorageNames {
    /** On a claim: it was bound once, and whatever is missing now is lost. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    /** On a claim or a volume: the binder chose the other side, and may undo it. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    /** On a volume: who made it and will remove it. */
    public static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
    /** On a claim: who is to make its volume. */
    public static final String PROVISIONER = "volume.kubernetes.io/storage-provisioner";
    /** The same under its older name, which older provisioners look for. */
    public static final String PROVISIONER_BETA = "volume.beta.kubernetes.io/storage-provisioner";
    /** On a claim: the node that its first pod will run on. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    /** On a volume or claim: its class, as it was said before there was a field for it. */
    public static final String CLASS_BETA = "volume.beta.kubernetes.io/storage-class";

    public static final String CLAIM_PROTECTION = "kubernetes.io/pvc-protection";
    public static final String VOLUME_PROTECTION = "kubernetes.io/pv-protection";
    public static final String CLASS_PROTECTION = "kubernetes.io/vac-protection";

    /** The provisioner that makes folders on the disks of Argosy's own nodes. */
    public static final String LOCAL_PROVISIONER = "argosy.io/local";
    /** On a volume of that provisioner: for how many bytes its folder is by now. */
    public static final String LOCAL_SIZE = "argosy.io/size";

    private StorageNames() {}
}
