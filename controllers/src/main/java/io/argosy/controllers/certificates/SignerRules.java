package io.argosy.controllers.certificates;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the built-in signers sign. */
final class SignerRules {
    static final String CLIENT = "kubernetes.io/kube-apiserver-client";
    static final String KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
    static final String KUBELET_SERVING = "kubernetes.io/kubelet-serving";
    static final String LEGACY = "kubernetes.io/legacy-unknown";

    private static final Set<String> KEY_USAGES = Set.of("key encipherment", "digital signature");
    /** The one use that a signer's certificates are for. */
    private static final Map<String, String> PURPOSES = Map.of(
            CLIENT, "client auth",
            KUBELET_CLIENT, "client auth",
            KUBELET_SERVING, "server auth");

    private SignerRules() {}

    static boolean isOurs(String signer) {
        return signer.equals(LEGACY) || PURPOSES.containsKey(signer);
    }

    /** Why the signer does not sign that, or nothing. */
    static Optional<String> problem(Wish wish) {
        return switch (wish.signer()) {
            case KUBELET_CLIENT -> usages(wish).or(() -> ofNode(wish)).or(() -> withoutHosts(wish));
            case KUBELET_SERVING -> usages(wish).or(() -> ofNode(wish)).or(() -> withHosts(wish));
            case CLIENT -> usages(wish);
            default -> Optional.empty();
        };
    }

    private static Optional<String> usages(Wish wish) {
        String purpose = PURPOSES.get(wish.signer());
        boolean others =
                wish.usages().stream().anyMatch(usage -> !usage.equals(purpose) && !KEY_USAGES.contains(usage));
        return wish.usages().contains(purpose) && !others
                ? Optional.empty()
                : Optional.of("usages did not match " + List.of("digital signature", "key encipherment", purpose));
    }

    private static Optional<String> ofNode(Wish wish) {
        if (!wish.organizations().equals(List.of("system:nodes"))) {
            return Optional.of("subject organization is not system:nodes");
        }
        return wish.name().startsWith("system:node:") && wish.name().length() > "system:node:".length()
                ? Optional.empty()
                : Optional.of("subject common name does not begin with system:node:");
    }

    private static Optional<String> withoutHosts(Wish wish) {
        return wish.hosts() || wish.otherNames()
                ? Optional.of("subject alternative names are not allowed")
                : Optional.empty();
    }

    private static Optional<String> withHosts(Wish wish) {
        if (!wish.hosts()) {
            return Optional.of("DNS or IP subjectAltName is required");
        }
        return wish.otherNames() ? Optional.of("email and URI subjectAltNames are not allowed") : Optional.empty();
    }
}
