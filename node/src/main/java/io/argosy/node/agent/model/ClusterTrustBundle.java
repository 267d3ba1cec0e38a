package io.argosy.node.agent.model;

import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;

/** Certificates that a cluster trusts, as much of the kind as a node reads; a server of v1.35 has it only when told to. */
@JsonDeserialize(using = JsonDeserializer.None.class)
@Group("certificates.k8s.io")
@Version("v1beta1")
@Kind("ClusterTrustBundle")
@Plural("clustertrustbundles")
public final class ClusterTrustBundle implements HasMetadata {
    private static final long serialVersionUID = 1L;

    private String apiVersion = "certificates.k8s.io/v1beta1";
    private ObjectMeta metadata;
    private Spec spec;

    /** Whose certificates these are, and the certificates: PEM blocks. */
    public record Spec(String signerName, String trustBundle) {}

    /** As the decoder makes it. */
    public ClusterTrustBundle() {}

    public ClusterTrustBundle(ObjectMeta metadata, Spec spec) {
        this.metadata = metadata;
        this.spec = spec;
    }

    @Override
    public ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
    }

    @Override
    public String getKind() {
        return "ClusterTrustBundle";
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public void setApiVersion(String version) {
        apiVersion = version;
    }

    public Spec getSpec() {
        return spec;
    }

    public void setSpec(Spec spec) {
        this.spec = spec;
    }
}
