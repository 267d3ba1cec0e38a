package io.argosy.server.storage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.storage.EncryptionConfig.Key;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.ValueForm;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdServer;
import io.argosy.store.etcd.EtcdStore;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** In a real etcd a Secret is for those alone who have its key; to clients it is what it was. */
class EncryptedEtcdTest {
    private static final String PLANTED = "planted-in-a-secret";
    private static final EncryptionRules RULES =
            EncryptionRules.of(EncryptionConfig.of(List.of("secrets"), new Key("key1", new byte[32])));

    private static EtcdServer etcd;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdServer.start();
        server = new TestServer(_ -> open(new EncryptedForm(new KubernetesForm(), "the test", () -> RULES)));
        server.beforeAll(null);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.afterAll(null);
        }
        if (etcd != null) {
            etcd.close();
        }
    }

    private static Store open(ValueForm form) {
        return EtcdStore.open(EtcdConfig.of(etcd.endpoint()), form, Clock.system()::pause);
    }

    @Test
    void etcdHoldsNothingOfIt() {
        String namespace = server.namespace();
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        server.admin().create(secrets, "{'metadata':{'name':'s'},'stringData':{'k':'" + PLANTED + "'}}");
        server.admin()
                .create(secrets.replace("secrets", "configmaps"), "{'metadata':{'name':'m'},'data':{'k':'seen'}}");
        String encoded = Base64.getEncoder().encodeToString(PLANTED.getBytes(UTF_8));
        assertThat(server.admin().get(secrets + "/s").at("/data/k").asText()).isEqualTo(encoded);
        try (Store raw = open(ValueForm.PLAIN)) {
            List<String> values = raw.list("", ListOptions.ALL).entries().stream()
                    .map(entry -> new String(entry.value(), ISO_8859_1))
                    .toList();
            assertThat(values)
                    .anyMatch(value -> value.contains("seen"))
                    .anyMatch(value -> value.startsWith("k8s:enc:aesgcm:v1:key1:"))
                    .noneMatch(value -> value.contains(PLANTED) || value.contains(encoded));
        }
    }

    @Test
    void whatWasPlainIsReadAndEncryptedByItsNextWrite() {
        String namespace = server.namespace();
        String key = "/registry/secrets/" + namespace + "/old";
        String secret = "/api/v1/namespaces/" + namespace + "/secrets/old";
        try (Store plain = open(new KubernetesForm());
                Store raw = open(ValueForm.PLAIN)) {
            plain.put(
                    key,
                    ("{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"old\",\"namespace\":\""
                                    + namespace + "\",\"uid\":\"u\"},\"data\":{\"k\":\"AAEC\"},\"type\":\"Opaque\"}")
                            .getBytes(UTF_8),
                    Store.ABSENT);
            assertThat(server.admin().get(secret).at("/data/k").asText()).isEqualTo("AAEC");
            server.admin().patch(secret, TestClient.MERGE_PATCH, "{'data':{'k':'AAED'}}");
            assertThat(new String(raw.get(key).orElseThrow().value(), ISO_8859_1))
                    .startsWith("k8s:enc:aesgcm:v1:key1:");
            assertThat(server.admin().get(secret).at("/data/k").asText()).isEqualTo("AAED");
        }
    }
}
