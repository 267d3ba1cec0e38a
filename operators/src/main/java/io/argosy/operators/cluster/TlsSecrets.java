package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** The secrets with certificates, laid out as the original operator has them. */
final class TlsSecrets {
    private TlsSecrets() {}

    static ClientCredentials operatorCredentials(KubernetesClient client, String namespace, String name)
            throws TlsException {
        Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
        if (secret == null) {
            throw new TlsException("there is no secret " + name + ", which spec.TLS.static.operatorSecret names");
        }
        return new ClientCredentials(
                text(secret, "etcd-client-ca.crt"), text(secret, "etcd-client.crt"), text(secret, "etcd-client.key"));
    }

    private static String text(Secret secret, String key) throws TlsException {
        Map<String, String> data = secret.getData();
        String value = data == null ? null : data.get(key);
        if (value == null || value.isEmpty()) {
            throw new TlsException("secret " + secret.getMetadata().getName() + " has no " + key);
        }
        return new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
    }
}
