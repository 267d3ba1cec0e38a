package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.argosy.operators.resource.TlsPolicy;
import io.argosy.operators.resource.TlsPolicy.SelfManaged;
import io.argosy.operators.tls.CertificateCheck;
import io.argosy.operators.tls.CertificateCheck.Finding;
import io.argosy.operators.tls.Issuer;
import io.argosy.operators.tls.Issuer.Identity;
import io.argosy.operators.tls.Pem;
import io.argosy.operators.tls.RotationPlan;
import io.argosy.operators.tls.RotationPlan.Move;
import io.argosy.operators.tls.RotationPlan.Rules;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sees to the certificates of clusters: looks at those that users keep, makes and renews those that are its own. */
final class CertificateKeeper {
    private static final Duration SOON = Duration.ofDays(14);

    private final KubernetesClient client;
    private final InstantSource clock;
    private final Events events;

    CertificateKeeper(KubernetesClient client, InstantSource clock, Events events) {
        this.client = client;
        this.clock = clock;
        this.events = events;
    }

    /** The pods are the members' own. */
    Certificates keep(EtcdCluster cluster, Collection<Pod> pods) {
        if (!ClusterNames.isSecureForPeers(cluster) && !ClusterNames.isSecureForClients(cluster)) {
            return Certificates.NONE;
        }
        Secrets secrets = new Secrets(client, cluster);
        if (cluster.getSpec().tls().selfManaged() == null) {
            return checked(cluster, secrets, null, false, "Usable");
        }
        try {
            Vault vault = Vault.open(cluster, secrets);
            if (vault.taken() != null) {
                return new Certificates(
                        null,
                        null,
                        false,
                        false,
                        "SecretTaken",
                        "secret " + vault.taken() + " is needed for this cluster's certificates and is not its own:"
                                + " rename or delete it");
            }
            if (!cluster.getSpec().pausing()) {
                vault = issue(cluster, secrets, vault, pods);
            }
            return checked(
                    cluster,
                    secrets,
                    vault.signer() == null ? null : vault.trust(),
                    vault.isAbrupt(),
                    vault.isRotating() ? "AuthorityChanging" : "Usable");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("certificates cannot be made: " + e.getMessage(), e);
        }
    }

    // ---- those of others ----

    private Certificates checked(EtcdCluster cluster, Secrets secrets, String trust, boolean cutOff, String state) {
        Instant now = clock.instant();
        Map<String, String> client = Map.of();
        Map<String, Finding> findings = new HashMap<>();
        for (Use use : Use.values()) {
            String name = Vault.secretName(cluster, use);
            if (name != null) {
                Secret secret = secrets.get(name);
                Map<String, String> files = Secrets.files(secret);
                findings.put(
                        name,
                        secret == null
                                ? new Finding("SecretNotFound", missing(name, cluster), null)
                                : CertificateCheck.check(
                                        use,
                                        name,
                                        files,
                                        use == Use.CLIENT ? null : ClusterNames.host(cluster, "member"),
                                        now));
                client = use == Use.CLIENT ? files : client;
            }
        }
        return report(findings, credentials(client), trust, cutOff, state, now);
    }

    private static String missing(String name, EtcdCluster cluster) {
        return "there is no secret " + name + ", which spec.TLS needs: create it in namespace "
                + cluster.getMetadata().getNamespace();
    }

    private static ClientCredentials credentials(Map<String, String> files) {
        return files.containsKey(Use.CLIENT.authorityFile())
                        && files.containsKey(Use.CLIENT.certificateFile())
                        && files.containsKey(Use.CLIENT.keyFile())
                ? new ClientCredentials(
                        files.get(Use.CLIENT.authorityFile()),
                        files.get(Use.CLIENT.certificateFile()),
                        files.get(Use.CLIENT.keyFile()))
                : null;
    }

    private static Certificates report(
            Map<String, Finding> findings,
            ClientCredentials credentials,
            String trust,
            boolean cutOff,
            String state,
            Instant now) {
        List<Finding> bad = findings.keySet().stream()
                .sorted()
                .map(findings::get)
                .filter(finding -> !finding.good())
                .toList();
        if (!bad.isEmpty()) {
            return new Certificates(
                    credentials,
                    trust,
                    cutOff,
                    false,
                    bad.getFirst().reason(),
                    bad.stream().map(Finding::message).collect(Collectors.joining("; ")));
        }
        Instant first = findings.values().stream()
                .map(Finding::until)
                .min(Instant::compareTo)
                .orElseThrow();
        String names = findings.keySet().stream().sorted().collect(Collectors.joining(", "));
        boolean lapsing = trust == null && first.isBefore(now.plus(SOON));
        return new Certificates(
                credentials,
                trust,
                cutOff,
                true,
                lapsing ? "LapsesSoon" : state,
                names + ": the first lapses at " + first
                        + (lapsing ? ". Replace it before that; etcd reads it without a restart" : ""));
    }

    // ---- its own ----

    private Vault issue(EtcdCluster cluster, Secrets secrets, Vault found, Collection<Pod> pods)
            throws GeneralSecurityException {
        SelfManaged policy = cluster.getSpec().tls().selfManaged();
        Rules rules = new Rules(policy.validity(), policy.lead(), policy.validityOfAuthority(), policy.overlapping());
        Vault vault = found;
        while (true) {
            Move move = RotationPlan.next(vault.state(isKnown(vault, pods), clock.instant()), rules);
            if (move instanceof Move.Rest) {
                return vault;
            }
            perform(cluster, secrets, vault, rules, move);
            vault = Vault.open(cluster, secrets);
        }
    }

    private static boolean isKnown(Vault vault, Collection<Pod> pods) throws GeneralSecurityException {
        String trust = vault.signer() == null ? "" : vault.trust();
        return pods.stream().allMatch(pod -> trust.equals(trust(pod)));
    }

    /** Whom etcd trusts in this pod; null if nobody noted it. */
    static String trust(Pod pod) {
        Map<String, String> notes = pod.getMetadata().getAnnotations();
        return notes == null ? null : notes.get(Names.TRUST_NOTE);
    }

    private void perform(EtcdCluster cluster, Secrets secrets, Vault vault, Rules rules, Move move)
            throws GeneralSecurityException {
        switch (move) {
            case Move.Begin() -> {
                Map<String, String> files = new HashMap<>();
                put(files, Vault.SIGNER, authority(cluster, rules));
                write(cluster, secrets, vault, files, true);
                events.normal(cluster, "AuthorityCreated", "An authority of the cluster's own signs its certificates");
            }
            case Move.Introduce() -> {
                Map<String, String> files = new HashMap<>();
                put(files, Vault.SIGNER, vault.signer());
                put(files, Vault.NEXT, authority(cluster, rules));
                write(cluster, secrets, vault, files, false);
                events.normal(
                        cluster,
                        "AuthorityIntroduced",
                        "A new authority is trusted beside the old one; members are started anew one by one");
            }
            case Move.Switch() -> {
                Map<String, String> files = new HashMap<>();
                put(files, Vault.SIGNER, vault.next());
                put(files, Vault.PREVIOUS, new Identity(vault.signer().certificate(), null));
                write(cluster, secrets, vault, files, false);
                events.normal(cluster, "AuthoritySwitched", "The new authority signs; the old one is still trusted");
            }
            case Move.Retire() -> {
                Map<String, String> files = new HashMap<>();
                put(files, Vault.SIGNER, vault.signer());
                write(cluster, secrets, vault, files, false);
                events.normal(cluster, "AuthorityRetired", "The old authority is trusted no more");
            }
            case Move.Issue(Use use) -> {
                Identity issued =
                        Issuer.certificate(vault.signer(), use, hosts(cluster, use), clock.instant(), rules.validity());
                Map<String, String> files = new HashMap<>();
                files.put(use.authorityFile(), vault.bundle());
                files.put(use.certificateFile(), Pem.of(issued.certificate()));
                files.put(use.keyFile(), Pem.of(issued.key()));
                String wish = vault.wish(Names.ROTATE_CERTIFICATES);
                secrets.write(
                        Vault.secretName(cluster, use),
                        vault.secret(use),
                        files,
                        wish == null ? Map.of() : Map.of(Names.ROTATE_CERTIFICATES, wish));
                events.normal(
                        cluster,
                        "CertificateIssued",
                        Vault.secretName(cluster, use) + " holds a certificate that is good until "
                                + issued.certificate().getNotAfter().toInstant());
            }
            case Move.Spread(Use use) -> {
                Secret before = vault.secret(use);
                Map<String, String> files = Secrets.files(before);
                files.put(use.authorityFile(), vault.bundle());
                Map<String, String> notes = before.getMetadata().getAnnotations();
                secrets.write(Vault.secretName(cluster, use), before, files, notes == null ? Map.of() : notes);
            }
            case Move.Rest() -> {}
        }
    }

    private Identity authority(EtcdCluster cluster, Rules rules) throws GeneralSecurityException {
        return Issuer.authority(cluster.getMetadata().getName(), clock.instant(), rules.authorityValidity());
    }

    private static void put(Map<String, String> files, String name, Identity identity) throws GeneralSecurityException {
        files.put(name + Vault.CERTIFICATE, Pem.of(identity.certificate()));
        if (identity.key() != null) {
            files.put(name + Vault.KEY, Pem.of(identity.key()));
        }
    }

    /** The wish that is fulfilled is noted with the successor, so that it is fulfilled once. */
    private void write(EtcdCluster cluster, Secrets secrets, Vault vault, Map<String, String> files, boolean abrupt) {
        Map<String, String> notes = new HashMap<>();
        notes.put(Vault.SINCE_NOTE, clock.instant().toString());
        notes.put(Vault.ABRUPT_NOTE, Boolean.toString(abrupt));
        String wish = vault.wish(Names.ROTATE_AUTHORITY);
        boolean introduces = abrupt || files.containsKey(Vault.NEXT + Vault.CERTIFICATE);
        String noted = introduces ? wish : Secrets.note(vault.authority(), Names.ROTATE_AUTHORITY);
        if (noted != null) {
            notes.put(Names.ROTATE_AUTHORITY, noted);
        }
        secrets.write(TlsPolicy.authoritySecret(cluster.getMetadata().getName()), vault.authority(), files, notes);
    }

    /** Every name under which a member, or all of them, may be asked for. */
    static List<String> hosts(EtcdCluster cluster, Use use) {
        if (use == Use.CLIENT) {
            return List.of();
        }
        String namespace = cluster.getMetadata().getNamespace();
        SelfManaged policy = cluster.getSpec().tls().selfManaged();
        String peers = cluster.getMetadata().getName() + "." + namespace + ".svc";
        String clients = ClusterNames.clientService(cluster);
        Stream<String> members =
                Stream.of(peers, "*." + peers, peers + "." + policy.domain(), "*." + peers + "." + policy.domain());
        Stream<String> more = use == Use.PEER
                ? Stream.of()
                : Stream.concat(
                        Stream.of(
                                clients,
                                clients + "." + namespace,
                                clients + "." + namespace + ".svc",
                                clients + "." + namespace + ".svc." + policy.domain()),
                        policy.otherNames().stream().filter(Objects::nonNull));
        return Stream.of(members, more, Stream.of("localhost", "127.0.0.1"))
                .flatMap(names -> names)
                .distinct()
                .toList();
    }
}
