package io.argosy.operators;

import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.tls.CertificateCheck;
import io.argosy.operators.tls.Pem;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who trusts whom among members with certificates: whom to trust, etcd reads when it starts; what it shows, at each handshake, from files
 * that a kubelet brings up to date sooner or later.
 */
final class PeerTrust {
    private final KubernetesClient client;
    private final InstantSource clock;
    private final Map<String, Started> started = new HashMap<>();

    PeerTrust(KubernetesClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /** What a pod read when it started. */
    private record Started(Map<String, String> peer, Map<String, String> server) {}

    private Map<String, String> files(Pod pod, String volume) {
        return pod.getSpec().getVolumes().stream()
                .filter(each -> each.getName().equals(volume))
                .map(each -> client.secrets()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(each.getSecret().getSecretName())
                        .get())
                .findFirst()
                .map(PeerTrust::files)
                .orElse(Map.of());
    }

    private static Map<String, String> files(Secret secret) {
        Map<String, String> files = new HashMap<>();
        if (secret != null && secret.getData() != null) {
            secret.getData()
                    .forEach((key, value) ->
                            files.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
        }
        return files;
    }

    /** Whose certificate, as it was when the pod started or as it is now, somebody does not trust. */
    List<String> look(List<Pod> pods) {
        for (Pod pod : pods) {
            started.computeIfAbsent(
                    pod.getMetadata().getUid(),
                    uid -> new Started(files(pod, "member-peer-tls"), files(pod, "member-server-tls")));
        }
        List<String> distrust = new ArrayList<>();
        for (Pod one : pods) {
            for (Pod other : pods) {
                if (one.getMetadata()
                                .getOwnerReferences()
                                .equals(other.getMetadata().getOwnerReferences())
                        && !((hasLapsed(at(other).peer) || trusts(one, at(other).peer))
                                && trusts(one, files(other, "member-peer-tls")))) {
                    distrust.add(one.getMetadata().getName() + " does not trust "
                            + other.getMetadata().getName());
                }
            }
        }
        return distrust;
    }

    private Started at(Pod pod) {
        return started.get(pod.getMetadata().getUid());
    }

    /** By then no pod has it any more. */
    private boolean hasLapsed(Map<String, String> files) {
        try {
            return !files.isEmpty()
                    && Pem.certificates(files.get("peer.crt"))
                            .getFirst()
                            .getNotAfter()
                            .toInstant()
                            .isBefore(clock.instant());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private boolean trusts(Pod pod, Map<String, String> shown) {
        return shown.isEmpty() || isTrusted(shown.get("peer.crt"), at(pod).peer.get("peer-ca.crt"));
    }

    /** Whether the member and a client with these accept each other. */
    boolean accepts(Pod pod, ClientCredentials credentials) {
        Map<String, String> server = files(pod, "member-server-tls");
        return server.isEmpty()
                || (credentials != null
                        && isTrusted(credentials.certificate(), at(pod).server.get("server-ca.crt"))
                        && isTrusted(server.get("server.crt"), credentials.authority()));
    }

    private boolean isTrusted(String certificate, String authorities) {
        try {
            Instant now = clock.instant();
            return CertificateCheck.isTrusted(Pem.certificates(certificate), Pem.certificates(authorities), now);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
