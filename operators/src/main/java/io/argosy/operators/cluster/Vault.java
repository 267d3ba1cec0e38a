package io.argosy.operators.cluster;

import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.argosy.operators.resource.TlsPolicy;
import io.argosy.operators.tls.CertificateCheck;
import io.argosy.operators.tls.Issuer.Identity;
import io.argosy.operators.tls.Pem;
import io.argosy.operators.tls.RotationPlan.Leaf;
import io.argosy.operators.tls.RotationPlan.Signer;
import io.argosy.operators.tls.RotationPlan.State;
import io.argosy.operators.tls.RotationPlan.Term;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** What a cluster's own secrets hold at one time: an authority, perhaps its successor or predecessor, and certificates. */
final class Vault {
    static final String SIGNER = "ca";
    static final String NEXT = "next";
    static final String PREVIOUS = "previous";
    static final String CERTIFICATE = ".crt";
    static final String KEY = ".key";
    static final String SINCE_NOTE = Names.GROUP + "/since";
    static final String ABRUPT_NOTE = Names.GROUP + "/begun-anew";
    private static final int TRUST_DIGITS = 16;

    private final EtcdCluster cluster;
    private final Secret authority;
    private final Map<Use, Secret> secrets = new EnumMap<>(Use.class);
    private final Identity signer;
    private final Identity next;
    private final Identity previous;

    private Vault(EtcdCluster cluster, Secrets from) {
        this.cluster = cluster;
        String name = cluster.getMetadata().getName();
        authority = from.get(TlsPolicy.authoritySecret(name));
        for (Use use : Use.values()) {
            secrets.put(use, from.get(secretName(cluster, use)));
        }
        Identity kept = identity(authority, SIGNER);
        signer = kept == null && authority == null ? orphan() : kept;
        next = identity(authority, NEXT);
        previous = identity(authority, PREVIOUS);
    }

    static Vault open(EtcdCluster cluster, Secrets from) {
        return new Vault(cluster, from);
    }

    static String secretName(EtcdCluster cluster, Use use) {
        TlsPolicy tls = cluster.getSpec().tls();
        String name = cluster.getMetadata().getName();
        return switch (use) {
            case PEER -> tls.coversPeers() ? tls.peerSecret(name) : null;
            case SERVER -> tls.coversClients() ? tls.serverSecret(name) : null;
            case CLIENT -> tls.coversClients() ? tls.clientSecret(name) : null;
        };
    }

    /** A secret of a name that this cluster needs, and that is not its own; null without one. */
    String taken() {
        return Stream.concat(Stream.ofNullable(authority), secrets.values().stream())
                .filter(Objects::nonNull)
                .filter(secret -> !ClusterNames.isOwn(cluster, secret))
                .map(secret -> secret.getMetadata().getName())
                .findFirst()
                .orElse(null);
    }

    private static Identity identity(Secret secret, String name) {
        Map<String, String> files = Secrets.files(secret);
        try {
            return files.containsKey(name + CERTIFICATE)
                    ? new Identity(
                            Pem.certificates(files.get(name + CERTIFICATE)).getFirst(),
                            files.containsKey(name + KEY) ? Pem.key(files.get(name + KEY)) : null)
                    : null;
        } catch (GeneralSecurityException unreadable) {
            return null; // as if it were not there
        }
    }

    /** The secret with the keys is gone, but members still trust whoever signed their certificates. */
    private Identity orphan() {
        Map<String, String> files = Secrets.files(secrets.get(Use.PEER));
        try {
            X509Certificate leaf = Pem.certificates(files.getOrDefault(Use.PEER.certificateFile(), ""))
                    .getFirst();
            for (X509Certificate candidate : Pem.certificates(files.getOrDefault(Use.PEER.authorityFile(), ""))) {
                if (isSignedBy(leaf, candidate)) {
                    return new Identity(candidate, null);
                }
            }
        } catch (GeneralSecurityException unreadable) {
            return null;
        }
        return null;
    }

    private static boolean isSignedBy(X509Certificate leaf, X509Certificate signer) {
        try {
            leaf.verify(signer.getPublicKey());
            return true;
        } catch (GeneralSecurityException another) {
            return false;
        }
    }

    Identity signer() {
        return signer;
    }

    Identity next() {
        return next;
    }

    Secret authority() {
        return authority;
    }

    Secret secret(Use use) {
        return secrets.get(use);
    }

    boolean isRotating() {
        return next != null || previous != null;
    }

    /** Whether the authority had no predecessor whom members trust. */
    boolean isAbrupt() {
        return Boolean.parseBoolean(Secrets.note(authority, ABRUPT_NOTE));
    }

    /** Whom everybody is to trust. */
    String bundle() throws GeneralSecurityException {
        List<X509Certificate> trusted = new ArrayList<>();
        for (Identity each : Arrays.asList(signer, next, previous)) {
            if (each != null) {
                trusted.add(each.certificate());
            }
        }
        return Pem.of(trusted);
    }

    /** Known by the bundle, in its order: it changes also when another begins to sign. */
    String trust() throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(bundle().getBytes(StandardCharsets.UTF_8)))
                .substring(0, TRUST_DIGITS);
    }

    State state(boolean membersRenewed, Instant now) throws GeneralSecurityException {
        String bundle = signer == null ? "" : bundle();
        List<Leaf> leaves = new ArrayList<>();
        for (Use use : Use.values()) {
            leaves.add(leaf(use, bundle));
        }
        String since = Secrets.note(authority, SINCE_NOTE);
        return new State(
                signer == null ? null : new Signer(term(signer), signer.key() != null),
                next == null ? null : term(next),
                previous == null ? null : term(previous),
                since == null ? null : Instant.parse(since),
                authority != null && !isDone(authority, Names.ROTATE_AUTHORITY),
                membersRenewed,
                leaves,
                now);
    }

    private static Term term(Identity identity) {
        return term(identity.certificate());
    }

    private static Term term(X509Certificate certificate) {
        return new Term(
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant());
    }

    private Leaf leaf(Use use, String bundle) {
        Secret secret = secrets.get(use);
        Map<String, String> files = Secrets.files(secret);
        try {
            X509Certificate leaf = Pem.certificates(files.getOrDefault(use.certificateFile(), ""))
                    .getFirst();
            boolean whole = CertificateCheck.belongs(Pem.key(files.getOrDefault(use.keyFile(), "")), leaf);
            return new Leaf(
                    use,
                    whole ? term(leaf) : null,
                    signer != null && isSignedBy(leaf, signer.certificate()),
                    bundle.equals(files.get(use.authorityFile())),
                    isDone(secret, Names.ROTATE_CERTIFICATES)
                            && CertificateCheck.isFor(leaf, CertificateKeeper.hosts(cluster, use)));
        } catch (GeneralSecurityException unreadable) {
            return new Leaf(use, null, false, false, true);
        }
    }

    private boolean isDone(Secret secret, String wish) {
        String asked = wish(wish);
        return asked == null || asked.equals(Secrets.note(secret, wish));
    }

    /** What somebody asks for on the EtcdCluster; null if nothing. */
    String wish(String name) {
        Map<String, String> notes = cluster.getMetadata().getAnnotations();
        return notes == null ? null : notes.get(name);
    }
}
