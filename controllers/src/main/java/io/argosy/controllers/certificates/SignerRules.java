package io.argosy.controllers.certificates;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What the built-in signers sign. */
final class SignerRules {
    static final String CLIENT = "kubernetes.io/kube-apiserver-client";
    static final String KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
    static final String KUBELET_SERVING = "kubernetes.io/kubelet-serving";
    static final String LEGACY = "kubernetes.io/legacy-unknown";

    private static final String SIGNATURE = "digital signature";
    private static final String ENCIPHERMENT = "key encipherment";
    private static final String CLIENT_AUTH = "client auth";
    private static final Set<String> OURS = Set.of(CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY);

    private SignerRules() {}

    static boolean isOurs(String signer) {
        return OURS.contains(signer);
    }

    /** Why the signer does not sign that, or nothing; in the order in which Kubernetes looks. */
    static Optional<String> problem(Wish wish) {
        return switch (wish.signer()) {
            case KUBELET_CLIENT ->
                ofNodes(wish)
                        .or(() -> without(wish, "DNS", "Email", "IP", "URI"))
                        .or(() -> named(wish))
                        .or(() -> usages(wish, CLIENT_AUTH));
            case KUBELET_SERVING ->
                ofNodes(wish)
                        .or(() -> withHosts(wish))
                        .or(() -> without(wish, "Email", "URI"))
                        .or(() -> usages(wish, "server auth"))
                        .or(() -> named(wish));
            case CLIENT -> clientUsages(wish);
            default -> Optional.empty();
        };
    }

    /** A node's key signs, may encipher, and is for one purpose. */
    private static Optional<String> usages(Wish wish, String purpose) {
        Set<String> wanted = new TreeSet<>(List.of(SIGNATURE, ENCIPHERMENT, purpose));
        Set<String> asked = Set.copyOf(wish.usages());
        return asked.equals(wanted) || asked.equals(Set.of(SIGNATURE, purpose))
                ? Optional.empty()
                : Optional.of("usages did not match [" + String.join(" ", wanted) + "]");
    }

    private static Optional<String> clientUsages(Wish wish) {
        Optional<String> other = wish.usages().stream()
                .filter(usage -> !Set.of(SIGNATURE, ENCIPHERMENT, CLIENT_AUTH).contains(usage))
                .findFirst()
                .map(usage -> "invalid usage for client certificate: " + usage);
        return other.isPresent() || wish.usages().contains(CLIENT_AUTH)
                ? other
                : Optional.of("missing required usage for client certificate: " + CLIENT_AUTH);
    }

    private static Optional<String> ofNodes(Wish wish) {
        return wish.organizations().equals(List.of("system:nodes"))
                ? Optional.empty()
                : Optional.of("subject organization is not system:nodes");
    }

    private static Optional<String> named(Wish wish) {
        return wish.name().startsWith("system:node:")
                ? Optional.empty()
                : Optional.of("subject common name does not begin with system:node:");
    }

    private static Optional<String> without(Wish wish, String... kinds) {
        return Stream.of(kinds)
                .filter(wish.alternatives()::contains)
                .findFirst()
                .map(kind -> kind + " subjectAltNames are not allowed");
    }

    private static Optional<String> withHosts(Wish wish) {
        return wish.alternatives().contains("DNS") || wish.alternatives().contains("IP")
                ? Optional.empty()
                : Optional.of("DNS or IP subjectAltName is required");
    }
}
