package io.argosy.operators.agent;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.resource.StoragePlace;
import io.argosy.operators.snapshot.SnapshotException;
import io.argosy.operators.storage.S3Store;
import io.argosy.operators.storage.SnapshotStore;
import io.argosy.operators.tls.CertificateCheck;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The secrets and claims that a backup or a restore names, looked at before anything is begun with them. */
public final class Sources {
    private final KubernetesClient client;
    private final String namespace;

    public Sources(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Fails if a pod that mounts them would wait for ever, or fail at once. */
    public void check(StoragePlace place) throws SnapshotException {
        if (place.s3() != null) {
            bucket(place.s3()).close();
        } else if (client.persistentVolumeClaims()
                        .inNamespace(namespace)
                        .withName(place.pvc().claimName())
                        .get()
                == null) {
            throw new SnapshotException(
                    "ClaimNotFound",
                    "there is no PersistentVolumeClaim " + place.pvc().claimName()
                            + ", which spec.pvc.claimName names: create it");
        }
    }

    public SnapshotStore bucket(StoragePlace.S3 place) throws SnapshotException {
        return new S3Store(place, secret(place.awsSecret(), "spec.s3.awsSecret"));
    }

    /** The members to ask; the secret may be null, and must be good now. */
    public List<Endpoint> endpoints(List<String> urls, String tlsSecret, Instant now) throws SnapshotException {
        ClientCredentials credentials = tlsSecret == null ? null : credentials(tlsSecret, now);
        try {
            return urls.stream()
                    .map(url -> Endpoint.parse(url, namespace, credentials))
                    .toList();
        } catch (IllegalArgumentException e) {
            throw new SnapshotException("BadEndpoint", "spec.etcdEndpoints: " + e.getMessage(), e);
        }
    }

    private ClientCredentials credentials(String name, Instant now) throws SnapshotException {
        Map<String, String> files = secret(name, "spec.clientTLSSecret");
        CertificateCheck.Finding finding = CertificateCheck.check(Use.CLIENT, name, files, null, now);
        if (!finding.good()) {
            throw new SnapshotException("BadSecret", finding.message());
        }
        return new ClientCredentials(
                files.get(Use.CLIENT.authorityFile()),
                files.get(Use.CLIENT.certificateFile()),
                files.get(Use.CLIENT.keyFile()));
    }

    private Map<String, String> secret(String name, String field) throws SnapshotException {
        Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
        if (secret == null) {
            throw new SnapshotException(
                    "SecretNotFound",
                    "there is no secret " + name + " in " + namespace + ", which " + field + " names");
        }
        Map<String, String> files = new HashMap<>();
        if (secret.getData() != null) {
            secret.getData()
                    .forEach((key, value) ->
                            files.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        }
        return files;
    }
}
