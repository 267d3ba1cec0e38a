package io.argosy.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every answer tells the request it is of, whether or not anything is written of it. */
class AuditIdTest {
    private static final String UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static String id(Reply reply) {
        return reply.headers().firstValue("audit-id").orElse("");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/version",
                "/healthz",
                "/api/v1/namespaces/default",
                "/api/v1/namespaces",
                "/none",
                "/api/v1/pods/x/y/z"
            })
    void everyAnswerHasOne(String path) throws Exception {
        for (Version version : Version.values()) {
            if (version == Version.HTTP_1_1 || version == Version.HTTP_2) {
                String first = id(SERVER.client(TestServer.ADMIN, version).get(path));
                assertThat(first).matches(UUID);
                assertThat(id(SERVER.client(TestServer.ADMIN, version).get(path)))
                        .isNotEqualTo(first);
            }
        }
    }

    @Test
    void theClientMayChooseIt() {
        assertThat(id(SERVER.admin().get("/version", "Audit-ID", "mine"))).isEqualTo("mine");
    }
}
