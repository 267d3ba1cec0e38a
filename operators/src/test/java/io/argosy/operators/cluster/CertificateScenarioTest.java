package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.Scene;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.argosy.operators.tls.Issuer;
import io.argosy.operators.tls.Issuer.Identity;
import io.argosy.operators.tls.Pem;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates of a cluster, its own and its user's, over members that trust whom they read of when they started. */
@ArgosyTest(nodes = 3)
class CertificateScenarioTest {
    private static final String NAME = "example-etcd-cluster";
    private static final List<String> SECRETS =
            List.of(NAME + "-authority", NAME + "-peer-tls", NAME + "-server-tls", NAME + "-client-tls");
    private static final String MANIFEST = """
            apiVersion: etcd.database.coreos.com/v1beta2
            kind: EtcdCluster
            metadata: {name: example-etcd-cluster}
            spec: {size: 3, version: 3.4.23, TLS: %s}
            """;
    private static final String OWN =
            "{selfManaged: {certificateValidity: 1h, renewBefore: 10m, authorityValidity: 3h, overlap: 1m}}";

    private Scene scene;
    private KubernetesClient client;
    private boolean cutOff;

    @BeforeEach
    void start(Cluster cluster) {
        client = cluster.client();
        scene = new Scene(cluster, NAME);
        scene.startOperator();
    }

    @AfterEach
    void stop() {
        scene.close();
        if (!cutOff) {
            assertThat(scene.etcd().complaints()).isEmpty();
        }
    }

    private void applyOwn() {
        scene.apply(MANIFEST.formatted(OWN));
        scene.awaitMembers(3);
    }

    private Secret secret(String name) {
        return client.secrets().inNamespace("default").withName(name).get();
    }

    private String file(Use use, String file) {
        return secret(NAME + "-" + use.name().toLowerCase(Locale.ROOT) + "-tls")
                .getData()
                .get(file);
    }

    private String certificate(Use use) {
        return file(use, use.certificateFile());
    }

    private int authorities() {
        try {
            return Pem.certificates(Secrets.files(secret(NAME + "-peer-tls")).get("peer-ca.crt"))
                    .size();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private void ask(String wish, String value) {
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(NAME)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"" + wish + "\":\"" + value + "\"}}}");
    }

    private String trusted() {
        return file(Use.PEER, "peer-ca.crt");
    }

    private String trust() {
        try {
            EtcdCluster cluster = scene.resource();
            return Vault.open(cluster, new Secrets(client, cluster)).trust();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** All pods run with the bundle there is now, which has this many authorities. */
    private void awaitAuthorities(int count) {
        scene.await(
                count + " authorities are trusted, by all",
                () -> authorities() == count
                        && scene.pods().size() == 3
                        && scene.pods().stream().allMatch(pod -> trust().equals(CertificateKeeper.trust(pod))));
    }

    @Test
    void anAuthorityAndCertificatesAreMade() throws GeneralSecurityException {
        applyOwn();
        assertThat(scene.condition("CertificatesValid")).isEqualTo("True Usable");
        assertThat(scene.status().clientUrl()).startsWith("https://");
        for (String name : SECRETS) {
            assertThat(secret(name).getMetadata().getOwnerReferences())
                    .extracting(owner -> owner.getKind())
                    .containsExactly("EtcdCluster");
        }
        assertThat(Pem.certificates(Secrets.files(secret(NAME + "-server-tls")).get("server.crt"))
                        .getFirst()
                        .getSubjectAlternativeNames())
                .extracting(name -> (Object) name.get(1))
                .contains(
                        "*.example-etcd-cluster.default.svc",
                        "*.example-etcd-cluster.default.svc.cluster.local",
                        "example-etcd-cluster-client.default.svc",
                        "localhost",
                        "127.0.0.1");
        assertThat(scene.pods().getFirst().getSpec().getContainers().getFirst().getCommand())
                .contains("--peer-cert-allowed-cn=etcd-peer");
        assertThat(scene.events()).contains("AuthorityCreated", "CertificateIssued");
    }

    @Test
    void certificatesAreRenewedInTimeWithoutARestart() {
        applyOwn();
        List<String> pods = scene.uids(scene.pods());
        String trusted = trusted();
        for (int round = 0; round < 2; round++) {
            String before = certificate(Use.SERVER);
            scene.cluster().advance(Duration.ofMinutes(51));
            scene.await("it is renewed", () -> !certificate(Use.SERVER).equals(before));
        }
        assertThat(trusted()).isEqualTo(trusted);
        scene.awaitMembers(3);
        assertThat(scene.uids(scene.pods())).isEqualTo(pods);
    }

    @Test
    void certificatesAreRenewedWhenSomebodyAsks() {
        applyOwn();
        List<String> pods = scene.uids(scene.pods());
        Map<Use, String> before = new HashMap<>();
        List.of(Use.values()).forEach(use -> before.put(use, certificate(use)));
        ask(Names.ROTATE_CERTIFICATES, "now");
        scene.await(
                "all are new",
                () -> before.entrySet().stream()
                        .noneMatch(entry -> certificate(entry.getKey()).equals(entry.getValue())));
        String renewed = certificate(Use.CLIENT);
        scene.letItLook();
        assertThat(certificate(Use.CLIENT)).as("once").isEqualTo(renewed);
        assertThat(scene.uids(scene.pods())).isEqualTo(pods);
    }

    @Test
    void anAuthorityIsReplacedAndNobodyIsCutOff() {
        applyOwn();
        List<String> members = scene.members();
        String old = trusted();
        String certificate = certificate(Use.PEER);
        ask(Names.ROTATE_AUTHORITY, "now");
        awaitAuthorities(2);
        assertThat(certificate(Use.PEER)).as("the old one still signs").isEqualTo(certificate);
        scene.await("the new one signs", () -> !certificate(Use.PEER).equals(certificate));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(trusted()).isNotEqualTo(old);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.events())
                .contains("AuthorityIntroduced", "AuthoritySwitched", "AuthorityRetired")
                .doesNotContain("QuorumLost", "ReplacingDeadMember");
        assertThat(scene.events()).filteredOn("MemberRenewed"::equals).hasSizeGreaterThanOrEqualTo(6);
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
    }

    @Test
    void anAuthorityThatEndsSoonIsReplacedByItself() {
        applyOwn();
        String old = trusted();
        for (int i = 0; i < 4; i++) { // 3h less the 72m that must be left
            scene.cluster().advance(Duration.ofMinutes(28));
            scene.letItLook();
        }
        scene.await("it is replaced", () -> scene.events().contains("AuthorityRetired"));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(trusted()).isNotEqualTo(old);
    }

    @Test
    void theOperatorGoesOnWithAChangeThatAnotherBegan() {
        applyOwn();
        String silent = scene.members().getFirst();
        scene.etcd().silence(silent); // so that no pod is started anew, and the change stays begun
        ask(Names.ROTATE_AUTHORITY, "now");
        scene.await("it is begun", () -> authorities() == 2);
        scene.stopOperator();
        scene.etcd().unsilence(silent);
        scene.startOperator();
        scene.await("it is ended", () -> scene.events().contains("AuthorityRetired"));
        awaitAuthorities(1);
        scene.awaitMembers(3);
    }

    @Test
    void aLostKeyIsReplacedWithoutCuttingAnybodyOff() {
        applyOwn();
        String old = trusted();
        client.resource(secret(NAME + "-authority")).delete();
        awaitAuthorities(2);
        scene.await("it is replaced", () -> scene.events().contains("AuthorityRetired"));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(trusted()).isNotEqualTo(old);
    }

    @Test
    void membersComeBackThoughAllSecretsWereLost() {
        cutOff = true; // by whoever deleted them
        applyOwn();
        List<String> members = scene.members();
        String old = trusted();
        scene.stopOperator();
        SECRETS.forEach(name -> client.resource(secret(name)).delete());
        scene.startOperator();
        scene.await(
                "others are made",
                () -> secret(NAME + "-peer-tls") != null && !trusted().equals(old));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
        assertThat(scene.etcd().clustersEver()).isEqualTo(1);
    }

    @Test
    void membersComeBackAfterTheOperatorSleptTooLong() {
        cutOff = true; // by time
        applyOwn();
        List<String> members = scene.members();
        String old = trusted();
        scene.stopOperator();
        scene.cluster().advance(Duration.ofHours(4));
        scene.startOperator();
        scene.await("all is begun anew", () -> !trusted().equals(old));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(scene.members()).isEqualTo(members);
    }

    @Test
    void membersWithoutVolumesAreReplacedToTrustAnother() {
        scene.apply(MANIFEST.formatted(OWN + ", pod: {ephemeral: true}"));
        scene.awaitMembers(3);
        ask(Names.ROTATE_AUTHORITY, "now");
        scene.await("it is replaced", () -> scene.events().contains("AuthorityRetired"));
        awaitAuthorities(1);
        scene.awaitMembers(3);
        assertThat(scene.events()).contains("ReplacingStaleMember");
        cutOff = true; // the leader is removed, as the last
        assertThat(scene.etcd().complaints("the leader was removed")).isEmpty();
    }

    @Test
    void aSecretOfAnotherIsNotTouched() {
        write(NAME + "-peer-tls", Map.of("mine", "1"));
        scene.apply(MANIFEST.formatted(OWN));
        scene.await("it is said", () -> scene.condition("CertificatesValid").equals("False SecretTaken"));
        assertThat(secret(NAME + "-peer-tls").getData()).containsOnlyKeys("mine");
        assertThat(scene.events()).contains("SecretTaken");
    }

    // ---- those that the user keeps ----

    private void write(String name, Map<String, String> files) {
        client.resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace("default")
                        .endMetadata()
                        .withStringData(files)
                        .build())
                .serverSideApply();
    }

    private Map<String, String> files(Use use, Identity authority, Duration age) throws GeneralSecurityException {
        Identity leaf = Issuer.certificate(
                authority,
                use,
                List.of("*." + NAME + ".default.svc", "localhost"),
                scene.cluster().now().minus(age),
                Duration.ofDays(30));
        return Map.of(
                use.authorityFile(),
                Pem.of(authority.certificate()),
                use.certificateFile(),
                Pem.of(leaf.certificate()),
                use.keyFile(),
                Pem.of(leaf.key()));
    }

    private Identity writeGood() throws GeneralSecurityException {
        Identity authority = Issuer.authority("mine", scene.cluster().now(), Duration.ofDays(300));
        write("peer", files(Use.PEER, authority, Duration.ZERO));
        write("server", files(Use.SERVER, authority, Duration.ZERO));
        write("operator", files(Use.CLIENT, authority, Duration.ZERO));
        return authority;
    }

    private void applyStatic() {
        scene.apply(MANIFEST.formatted(
                "{static: {member: {peerSecret: peer, serverSecret: server}, operatorSecret: operator}}"));
    }

    @Test
    void certificatesOfTheUserAreLookedAt() throws GeneralSecurityException {
        Identity authority = writeGood();
        applyStatic();
        scene.awaitMembers(3);
        assertThat(scene.condition("CertificatesValid")).isEqualTo("True Usable");

        write("server", files(Use.SERVER, authority, Duration.ofDays(20)));
        scene.await("it lapses soon", () -> scene.condition("CertificatesValid").equals("True LapsesSoon"));
        write("server", files(Use.SERVER, authority, Duration.ofDays(31)));
        scene.await("it has lapsed", () -> scene.condition("CertificatesValid").equals("False Lapsed"));
        assertThat(scene.message("CertificatesValid")).contains("server.crt of secret server", "replace it");
        scene.await(
                "the operator says that it sees nobody",
                () -> scene.condition("Available").equals("Unknown CertificatesUnusable"));
        scene.cluster().advance(Duration.ofMinutes(10));
        scene.letItLook();
        assertThat(scene.etcd().journal()).noneMatch(change -> change.startsWith("remove"));
        assertThat(scene.status().phase()).isEqualTo("Running");
        assertThat(scene.events()).contains("LapsesSoon", "Lapsed").doesNotContain("QuorumLost");
        write("server", files(Use.SERVER, authority, Duration.ZERO));
        scene.awaitMembers(3);
    }

    @Test
    void badOnesAreSaidBeforeAnythingRuns() throws GeneralSecurityException {
        Identity authority = writeGood();
        Identity another = Issuer.authority("other", scene.cluster().now(), Duration.ofDays(300));
        Map<String, String> mixed = new HashMap<>(files(Use.PEER, authority, Duration.ZERO));
        mixed.put("peer.key", files(Use.PEER, authority, Duration.ZERO).get("peer.key"));
        write("peer", mixed);
        cutOff = true; // there is only what the user made
        applyStatic();
        scene.await("the key", () -> scene.condition("CertificatesValid").equals("False KeyMismatch"));
        Map<String, String> foreign = new HashMap<>(files(Use.PEER, another, Duration.ZERO));
        foreign.put("peer-ca.crt", Pem.of(authority.certificate()));
        write("peer", foreign);
        scene.await("the authority", () -> scene.condition("CertificatesValid").equals("False ForeignCertificate"));
        assertThat(scene.message("CertificatesValid")).contains("peer.crt of secret peer is not signed by");
        assertThat(scene.events()).contains("KeyMismatch", "ForeignCertificate");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            {static: {}, selfManaged: {}}                                           | either static or selfManaged
            {selfManaged: {renewBefore: 10s}}                                       | it must be 2m or more
            {selfManaged: {renewBefore: 2160h}}                                     | must be shorter than certificateValidity
            {selfManaged: {authorityValidity: 2161h}}                               | must be longer than certificateValidity
            {selfManaged: {overlap: soon}}                                          | spec.TLS.selfManaged.overlap: Invalid value
            {selfManaged: {extraNames: ['not a name']}}                             | spec.TLS.selfManaged.extraNames[0]: Invalid value
            """)
    void whatCannotBeIsRefusedAtOnce(String tls, String said) {
        assertThatThrownBy(() -> scene.apply(MANIFEST.formatted(tls))).hasMessageContaining(said);
    }

    @Test
    void whoKeepsThemIsDecidedOnce() {
        applyOwn();
        assertThatThrownBy(() -> scene.apply(MANIFEST.formatted("{static: {operatorSecret: o}}")))
                .hasMessageContaining("cannot change between static and selfManaged");
        assertThatThrownBy(() -> scene.apply(MANIFEST.replace(", TLS: %s", "")))
                .hasMessageContaining("TLS cannot be turned on or off");
    }
}
