package io.argosy.store.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.argosy.api.time.Clock;
import io.argosy.store.RecordingListener;
import io.argosy.store.Result;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.ValueForm;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that lets in only whom it knows: by password, by certificate. */
class EtcdAccessTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void needEtcd() {
        EtcdServer.assumeInstalled();
    }

    private static ByteSequence text(String text) {
        return ByteSequence.from(text, UTF_8);
    }

    private static EtcdConfig user(EtcdServer etcd, String password) {
        return new EtcdConfig(List.of(etcd.endpoint()), null, null, null, "root", password);
    }

    @Test
    void usersComeInWithTheirPasswordAlsoAfterARestart() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            requirePassword(etcd);
            StoreException refused = catchThrowableOfType(
                    StoreException.class,
                    () -> EtcdStore.open(user(etcd, "wrong"), ValueForm.PLAIN, Clock.system()::pause));
            assertThat(refused.reason()).isEqualTo(StoreException.Reason.NO_PERMISSION);
            assertThat(refused).hasMessageContaining("does not let us in");
            try (Store store = EtcdStore.open(user(etcd, "secret"), ValueForm.PLAIN, Clock.system()::pause)) {
                RecordingListener watch = new RecordingListener();
                store.watch("", store.revision(), watch);
                assertThat(store.put("/a", new byte[1], Store.ABSENT)).isInstanceOf(Result.Committed.class);
                etcd.kill();
                etcd.resume(); // forgets the tokens it gave
                long last = putWhenBack(store);
                assertThat(watch.awaitRevision(last)).hasSize(2);
            }
        }
    }

    private static void requirePassword(EtcdServer etcd) throws Exception {
        try (Client client = Client.builder().endpoints(etcd.endpoint()).build()) {
            RecordingListener.get(client.getAuthClient().userAdd(text("root"), text("secret")));
            RecordingListener.get(client.getAuthClient().roleAdd(text("root")));
            RecordingListener.get(client.getAuthClient().userGrantRole(text("root"), text("root")));
            RecordingListener.get(client.getAuthClient().authEnable());
        }
    }

    private static long putWhenBack(Store store) {
        long end = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try {
                return ((Result.Committed) store.put("/b", new byte[1], Store.ANY)).revision();
            } catch (StoreException away) {
                assertThat(System.nanoTime()).as("still " + away).isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void certificatesAreCheckedOnBothSides() throws Exception {
        Path certificate = folder.resolve("cert.pem");
        Path key = folder.resolve("key.pem");
        EtcdCertificate.make("ip:127.0.0.1,dns:localhost", certificate, key);
        try (EtcdServer etcd = EtcdServer.start(
                true,
                "--cert-file=" + certificate,
                "--key-file=" + key,
                "--trusted-ca-file=" + certificate,
                "--client-cert-auth")) {
            EtcdConfig known = new EtcdConfig(List.of(etcd.endpoint()), certificate, certificate, key, null, null);
            try (Store store = EtcdStore.open(known, ValueForm.PLAIN, Clock.system()::pause)) {
                assertThat(store.put("/a", new byte[1], Store.ABSENT)).isInstanceOf(Result.Committed.class);
                assertThat(store.get("/a")).isPresent();
            }
            EtcdConfig stranger = new EtcdConfig(List.of(etcd.endpoint()), certificate, null, null, null, null);
            assertThat(catchThrowableOfType(
                                    StoreException.class,
                                    () -> EtcdStore.open(stranger, ValueForm.PLAIN, Clock.system()::pause))
                            .reason())
                    .isEqualTo(StoreException.Reason.UNAVAILABLE);
            EtcdConfig wrong = new EtcdConfig(List.of(etcd.endpoint()), folder.resolve("none"), null, null, null, null);
            assertThat(catchThrowableOfType(
                            StoreException.class, () -> EtcdStore.open(wrong, ValueForm.PLAIN, Clock.system()::pause)))
                    .hasMessageContaining("The certificates for etcd cannot be used");
        }
    }
}
