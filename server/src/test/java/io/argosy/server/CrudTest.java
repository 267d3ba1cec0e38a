package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Create, read, update and delete. */
class CrudTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    @Test
    void configMapLifecycle() {
        String ns = SERVER.namespace();
        String at = "/api/v1/namespaces/" + ns + "/configmaps";
        var created = SERVER.admin().create(at, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
        assertThat(created.at("/metadata/uid").asText()).hasSize(36);
        assertThat(SERVER.admin().get(at + "/a").is(200).body()).isEqualTo(created.body());
    }
}
