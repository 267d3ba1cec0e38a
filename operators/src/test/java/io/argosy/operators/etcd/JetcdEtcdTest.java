package io.argosy.operators.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.store.etcd.EtcdServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A real etcd, asked over jetcd. */
class JetcdEtcdTest {
    private final Etcd etcd = new JetcdEtcd();

    @Test
    void aMemberSaysWhatItIsAndIsJoinedAndLeft() throws IOException {
        try (EtcdServer server = EtcdServer.start()) {
            Endpoint endpoint = new Endpoint(server.endpoint(), null, null);
            Etcd.MemberStatus status = etcd.status(endpoint);
            assertThat(status.leader()).isEqualTo(status.memberId()).isNotZero();
            assertThat(status.errors()).isEmpty();
            assertThat(status.raftIndex()).isPositive();
            assertThat(etcd.members(endpoint)).singleElement().satisfies(member -> {
                assertThat(member.id()).isEqualTo(status.memberId());
                assertThat(member.name()).isEqualTo("test");
            });

            etcd.remove(endpoint, 4711); // not there: nothing to do

            ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
            assertThat(etcd.snapshot(endpoint, snapshot))
                    .isEqualTo(snapshot.size())
                    .isPositive();

            etcd.add(endpoint, "http://127.0.0.1:2", true);
            Etcd.ListedMember learner = etcd.members(endpoint).stream()
                    .filter(Etcd.ListedMember::learner)
                    .findFirst()
                    .orElseThrow();
            assertThatThrownBy(() -> etcd.promote(endpoint, learner.id())).hasMessageContaining("in sync with leader");
            etcd.remove(endpoint, learner.id());
            assertThat(etcd.members(endpoint)).hasSize(1);

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
}
