package io.argosy.operators.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.snapshot.SnapshotCheck;
import io.argosy.store.etcd.EtcdCertificate;
import io.argosy.store.etcd.EtcdServer;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd, asked over jetcd. */
class JetcdEtcdTest {
    private final Etcd etcd = new JetcdEtcd();

    @TempDir
    Path folder;

    @Test
    void aMemberSaysWhatItIsAndIsJoinedAndLeft() throws Exception {
        try (EtcdServer server = EtcdServer.start()) {
            Endpoint endpoint = new Endpoint(server.endpoint(), null, null);
            Etcd.MemberStatus status = etcd.status(endpoint);
            assertThat(status.leader()).isEqualTo(status.memberId()).isNotZero();
            assertThat(status.errors()).isEmpty();
            assertThat(status.raftIndex()).isPositive();
            assertThat(etcd.members(endpoint).members()).singleElement().satisfies(member -> {
                assertThat(member.id()).isEqualTo(status.memberId());
                assertThat(member.name()).isEqualTo("test");
            });

            etcd.remove(endpoint, 4711); // not there: nothing to do

            ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
            SnapshotCheck check = new SnapshotCheck(snapshot);
            etcd.snapshot(endpoint, check, Duration.ofSeconds(10));
            assertThat(check.finish().size()).isEqualTo(snapshot.size()).isPositive();

            etcd.add(endpoint, "http://127.0.0.1:2", true);
            Etcd.ListedMember learner = etcd.members(endpoint).members().stream()
                    .filter(Etcd.ListedMember::learner)
                    .findFirst()
                    .orElseThrow();
            assertThatThrownBy(() -> etcd.promote(endpoint, learner.id())).hasMessageContaining("in sync with leader");
            etcd.remove(endpoint, learner.id());
            assertThat(etcd.members(endpoint).members()).hasSize(1);

            etcd.add(endpoint, "http://127.0.0.1:1", false);
            assertThat(etcd.rememberedMembers(endpoint)).hasSize(2);
            assertThatThrownBy(() -> etcd.members(endpoint)) // one of two is no majority
                    .isInstanceOf(EtcdException.class);
            assertThat(etcd.status(endpoint).memberId()).isEqualTo(status.memberId());
        }
    }

    @Test
    void whoIsNotThereIsSaidInTime() {
        Endpoint nobody = Endpoint.plain("127.0.0.1", 1);
        for (Runnable question : List.<Runnable>of(() -> etcd.status(nobody), () -> etcd.members(nobody))) {
            assertThatThrownBy(question::run).isInstanceOf(EtcdException.class).hasMessageContaining("127.0.0.1:1");
        }
    }

    @Test
    void certificatesAreCheckedOnBothSides() throws Exception {
        Path certificate = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        EtcdCertificate.make("dns:member.cluster.default.svc", certificate, key);
        try (EtcdServer server = EtcdServer.start(
                true,
                "--cert-file=" + certificate,
                "--key-file=" + key,
                "--trusted-ca-file=" + certificate,
                "--client-cert-auth")) {
            ClientCredentials known = new ClientCredentials(
                    Files.readString(certificate), Files.readString(certificate), Files.readString(key));
            String host = "member.cluster.default.svc"; // found by address, known by name
            assertThat(etcd.members(new Endpoint(server.endpoint(), host, known))
                            .members())
                    .hasSize(1);

            assertThatThrownBy(() -> etcd.status(new Endpoint(server.endpoint(), "other.cluster.default.svc", known)))
                    .isInstanceOf(EtcdException.class);
            ClientCredentials broken = new ClientCredentials("none", "none", "none");
            assertThatThrownBy(() -> etcd.status(new Endpoint(server.endpoint(), host, broken)))
                    .hasMessageContaining("the operator's certificate for etcd cannot be used");
        }
    }
}
