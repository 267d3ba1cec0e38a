package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.operators.tls.Issuer;
import io.argosy.operators.tls.Pem;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Real etcd with certificates that the operator makes: they and their authority change while somebody writes, and it is saved and restored. And with a user's own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EtcdTlsTest {
    private static final int NETWORK = 61;
    private static final String NAME = "secure-etcd";
    private static final String CLUSTER = "etcdcluster/" + NAME;
    private static final List<String> HOSTS =
            List.of("*.static-etcd.default.svc", "static-etcd-client.default.svc", "localhost", "127.0.0.1");

    @TempDir
    static Path folder;

    private OperatedEtcd etcd;
    private Example example;
    private Kubectl kubectl;
    private KeyWriter writer;

    @BeforeAll
    void start() throws IOException {
        etcd = new OperatedEtcd(folder.resolve("home"), NETWORK, NAME);
        example = etcd.example();
        kubectl = example.kubectl();
        etcd.makeImage();
    }

    @AfterAll
    void stop() {
        if (writer != null) {
            writer.close();
        }
        if (etcd != null) {
            etcd.close();
        }
    }

    /** The last condition is that of the certificates. */
    private void settled() {
        etcd.settled("True False False False True", 3);
    }

    private List<String> members() {
        return etcd.members();
    }

    private String pods() {
        return kubectl.ok("get", "pods", "-l", "etcd_cluster", "-o", "jsonpath={.items[*].metadata.uid}");
    }

    private String secret(String name, String file) {
        return example.field("secret/" + NAME + name, ".data." + file.replace(".", "\\."));
    }

    /** The certificate that a member shows to whoever comes, as in the secret. */
    private static String shown(String address) {
        AtomicReference<X509Certificate> shown = new AtomicReference<>();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Curious(shown)}, null);
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(address, 2379)) {
                socket.startHandshake();
            }
            return Base64.getEncoder().encodeToString(Pem.of(shown.get()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException | GeneralSecurityException e) {
            return e.toString();
        }
    }

    /** Trusts everybody, to see who it is. */
    private static final class Curious extends X509ExtendedTrustManager {
        private final AtomicReference<X509Certificate> shown;

        Curious(AtomicReference<X509Certificate> shown) {
            this.shown = shown;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            shown.set(chain[0]);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            shown.set(chain[0]);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            shown.set(chain[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** The note on the pods of members that trust whom the secret names. */
    private String trust() {
        try {
            byte[] bundle = Base64.getDecoder().decode(secret("-peer-tls", "peer-ca.crt"));
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(bundle))
                    .substring(0, 16);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private String trusts() {
        return kubectl.ok(
                "get",
                "pods",
                "-l",
                "etcd_cluster",
                "-o",
                "jsonpath={.items[*].metadata.annotations.etcd\\.database\\.coreos\\.com/trust}");
    }

    private void happens(String reason) {
        kubectl.await(
                reason,
                out -> out.contains(NAME),
                "get",
                "events",
                "--field-selector",
                "reason=" + reason,
                "-o",
                "name");
    }

    @Test
    @Order(1)
    void threeMembersTalkOverCertificatesOfTheirOwn() {
        example.apply("example-etcd-cluster-tls.yaml");
        settled();
        assertThat(example.field(CLUSTER, ".status.clientURL"))
                .isEqualTo("https://secure-etcd-client.default.svc:2379");
        Command.Outcome stranger = kubectl.run(
                "exec",
                members().getFirst(),
                "--",
                "etcdctl",
                "--endpoints=https://secure-etcd-client:2379",
                "--insecure-skip-tls-verify",
                "--command-timeout=3s",
                "get",
                "x");
        assertThat(stranger.code()).as("who shows no certificate").isNotZero();
        writer = KeyWriter.start(etcd.client(), NAME, NAME + "-client-tls");
    }

    @Test
    @Order(2)
    void certificatesAreRenewedWithoutARestart() {
        String before = secret("-server-tls", "server.crt");
        String pods = pods();
        kubectl.ok("annotate", CLUSTER, "etcd.database.coreos.com/rotate-certificates=1");
        Eventually.holds(
                "they are new", () -> !secret("-server-tls", "server.crt").equals(before), () -> before);
        for (String member : members()) {
            String address = example.address(member);
            Eventually.holds(
                    member + " shows the new one",
                    () -> shown(address).equals(secret("-server-tls", "server.crt")),
                    () -> shown(address));
        }
        writer.close();
        writer = KeyWriter.start(etcd.client(), NAME, NAME + "-client-tls"); // a new handshake
        assertThat(pods()).isEqualTo(pods);
        assertThat(writer.missing()).isEmpty();
    }

    @Test
    @Order(3)
    void theAuthorityChangesMemberByMember() {
        String before = secret("-authority", "ca.crt");
        List<String> members = members();
        kubectl.ok("annotate", CLUSTER, "etcd.database.coreos.com/rotate-authority=1");
        for (String reason : List.of("AuthorityIntroduced", "AuthoritySwitched", "AuthorityRetired")) {
            happens(reason);
            writer.moreAreAcknowledged();
        }
        assertThat(secret("-authority", "ca.crt")).isNotEqualTo(before);
        String trust = trust();
        Eventually.holds(
                "all trust the new one alone",
                () -> trusts().equals(String.join(" ", trust, trust, trust)),
                this::trusts);
        settled();
        Eventually.holds("the same members", () -> members().equals(members), () -> members() + "");
        assertThat(kubectl.ok("get", "events", "--field-selector", "reason=QuorumLost", "-o", "name"))
                .isEmpty();
        writer.moreAreAcknowledged();
        writer.close();
        assertThat(writer.missing()).isEmpty();
    }

    @Test
    @Order(4)
    void itIsSavedAndRestoredOverTls() {
        example.apply("example-etcd-backup-tls.yaml");
        kubectl.await(
                "it is saved",
                out -> out.startsWith("Succeeded"),
                "get",
                "etcdbackup",
                "secure-etcd-backup",
                "-o",
                "jsonpath={.status.phase} {.status.reason}");
        kubectl.ok("patch", CLUSTER, "--type=merge", "-p", "{\"spec\":{\"paused\":true}}");
        for (String gone : members().subList(0, 2)) {
            kubectl.ok("delete", "pvc", gone, "--wait=false");
            kubectl.ok("delete", "pod", gone, "--grace-period=0", "--force");
        }
        kubectl.ok("patch", CLUSTER, "--type=merge", "-p", "{\"spec\":{\"paused\":false}}");
        kubectl.await(
                "the loss is said",
                out -> out.equals("QuorumLost"),
                "get",
                CLUSTER,
                "-o",
                "jsonpath={.status.conditions[?(@.type==\"Available\")].reason}");
        assertThat(kubectl.apply("""
                        apiVersion: etcd.database.coreos.com/v1beta2
                        kind: EtcdRestore
                        metadata: {name: secure-etcd}
                        spec:
                          etcdCluster: {name: secure-etcd}
                          backupStorageType: PVC
                          pvc: {claimName: secure-etcd-backups, path: etcd.backup}
                        """).code()).isZero();
        kubectl.await(
                "the restore is over",
                out -> out.equals("Succeeded true"),
                "get",
                "etcdrestore",
                NAME,
                "-o",
                "jsonpath={.status.phase} {.status.succeeded}");
        settled();
        assertThat(writer.missing()).isEmpty();
    }

    /** As the original operator has it: the user keeps the certificates. */
    @Test
    @Order(5)
    void certificatesMayBeTheUsersOwn() throws GeneralSecurityException {
        assertThat(kubectl.apply("""
                        apiVersion: etcd.database.coreos.com/v1beta2
                        kind: EtcdCluster
                        metadata: {name: static-etcd}
                        spec:
                          size: 2
                          version: "3.4.23"
                          TLS:
                            static:
                              member: {peerSecret: static-peer, serverSecret: static-server}
                              operatorSecret: static-operator
                        """).code()).isZero();
        kubectl.await(
                "the missing secret is named",
                out -> out.startsWith("False") && out.contains("static-"),
                "get",
                "etcdcluster/static-etcd",
                "-o",
                "jsonpath={range .status.conditions[?(@.type==\"CertificatesValid\")]}{.status} {.message}{end}");
        Instant now = Clock.system().now();
        Issuer.Identity authority = Issuer.authority("static-etcd", now, Duration.ofDays(1));
        for (Use use : Use.values()) {
            String name = "static-" + (use == Use.CLIENT ? "operator" : use == Use.PEER ? "peer" : "server");
            Issuer.Identity own = Issuer.certificate(authority, use, HOSTS, now, Duration.ofDays(1));
            etcd.client()
                    .secrets()
                    .inNamespace("default")
                    .resource(new SecretBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .endMetadata()
                            .addToStringData(use.authorityFile(), Pem.of(authority.certificate()))
                            .addToStringData(use.certificateFile(), Pem.of(own.certificate()))
                            .addToStringData(use.keyFile(), Pem.of(own.key()))
                            .build())
                    .create();
        }
        kubectl.await(
                "two members answer",
                out -> out.equals("2 True True"),
                "get",
                "etcdcluster/static-etcd",
                "-o",
                "jsonpath={.status.size} {.status.conditions[?(@.type==\"Available\")].status}"
                        + " {.status.conditions[?(@.type==\"CertificatesValid\")].status}");
        KeyWriter other = KeyWriter.start(etcd.client(), "static-etcd", "static-operator");
        other.close();
        assertThat(other.missing()).isEmpty();
    }
}
