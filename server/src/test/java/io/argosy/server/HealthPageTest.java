package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.http.HttpClient.Version;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages that say how the server is. */
class HealthPageTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final AtomicBoolean STORE = new AtomicBoolean();
    private static final AtomicBoolean INFORMERS = new AtomicBoolean();
    private static final AtomicBoolean HOOK = new AtomicBoolean();
    private static Runnable hook;

    @BeforeAll
    static void parts() {
        SERVER.server().health().vital("etcd", STORE::get).check("informer-sync", INFORMERS::get);
        hook = SERVER.server().health().hook("test/step", () -> {
            if (!HOOK.get()) {
                throw new IllegalStateException("it cannot be done");
            }
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "true; true; /healthz; 200; ok",
                "true; true; /healthz?verbose; 200; [+]ping ok|[+]log ok|[+]etcd ok|HOOKS|healthz check passed|",
                "true; true; /livez?verbose; 200; [+]ping ok|[+]log ok|[+]etcd ok|HOOKS|livez check passed|",
                "true; true; /readyz?verbose; 200; [+]ping ok|[+]log ok|[+]etcd ok|[+]informer-sync ok|HOOKS|"
                        + "[+]shutdown ok|readyz check passed|",
                "true; false; /readyz; 500; [+]ping ok|[+]log ok|[+]etcd ok|[-]informer-sync failed: reason"
                        + " withheld|HOOKS|[+]shutdown ok|readyz check failed|",
                "true; false; /livez; 200; ok",
                "true; false; /readyz?exclude=informer-sync&verbose; 200; [+]ping ok|[+]log ok|[+]etcd ok|"
                        + "[+]informer-sync excluded: ok|HOOKS|[+]shutdown ok|readyz check passed|",
                "false; true; /livez; 500; [+]ping ok|[+]log ok|[-]etcd failed: reason withheld|HOOKS|livez check"
                        + " failed|",
                "false; true; /healthz?exclude=etcd; 200; ok",
                "true; true; /livez?exclude=b&exclude=a&verbose; 200; [+]ping ok|[+]log ok|[+]etcd ok|HOOKS|warn:"
                        + " some health checks cannot be excluded: no matches for \"a\",\"b\"|livez check passed|",
                "true; false; /readyz/ping; 200; ok",
                "true; false; /livez/log; 200; ok",
                "true; false; /readyz/shutdown; 200; ok",
                "true; true; /healthz/poststarthook/start-apiextensions-controllers; 200; ok",
                "false; true; /readyz/etcd; 500; internal server error: etcd failed|",
                "true; true; /livez/informer-sync; 404;",
                "true; true; /livez/shutdown; 404;",
                "true; true; /readyz/poststarthook/nothing; 404;",
            })
    void sayWhatIsWellAndWhatIsNot(boolean store, boolean informers, String path, int status, String text) {
        STORE.set(store);
        INFORMERS.set(informers);
        HOOK.set(true);
        hook.run();
        TestClient.Reply page = SERVER.admin().get(path).is(status);
        if (status != 404) {
            String hooks = "[+]poststarthook/start-apiextensions-controllers ok|[+]poststarthook/test/step ok";
            assertThat(page.text()).isEqualTo(text.replace("HOOKS", hooks).replace('|', '\n'));
        }
    }

    @Test
    void aStepOfTheStartThatFailedIsSeen() {
        STORE.set(true);
        INFORMERS.set(true);
        HOOK.set(false);
        assertThat(catchThrowable(hook::run)).hasMessage("it cannot be done");
        assertThat(SERVER.admin().get("/livez").is(500).text())
                .contains("[-]poststarthook/test/step failed: reason withheld\n");
        assertThat(SERVER.admin().get("/readyz/poststarthook/test/step").is(500).text())
                .isEqualTo("internal server error: failed: it cannot be done\n");
        SERVER.admin().get("/livez?exclude=poststarthook/test/step").is(200);
    }

    @Test
    void whatThePagesFoundIsCounted() throws Exception {
        STORE.set(true);
        INFORMERS.set(false);
        TestClient admin = SERVER.admin();
        admin.get("/readyz").is(500);
        String slis = admin.get("/metrics/slis").is(200).text();
        assertThat(slis)
                .contains(
                        "# TYPE kubernetes_healthcheck gauge\n",
                        "kubernetes_healthcheck{name=\"etcd\",type=\"readyz\"} 1\n",
                        "kubernetes_healthcheck{name=\"informer-sync\",type=\"readyz\"} 0\n",
                        "# TYPE kubernetes_healthchecks_total counter\n",
                        "process_start_time_seconds ")
                .containsPattern("healthchecks_total\\{name=\"informer-sync\",status=\"error\",type=\"readyz\"} [1-9]")
                .containsPattern("healthchecks_total\\{name=\"ping\",status=\"success\",type=\"readyz\"} [1-9]")
                .doesNotContain("apiserver_");
        admin.get("/metrics/other").is(404);
        assertThat(admin.get("/metrics").is(200).text()).doesNotContain("kubernetes_healthcheck");
        SERVER.client("CN=jane", Version.HTTP_1_1).get("/metrics/slis").is(403);
    }

    @Test
    void theIndexNamesEveryPageOfAPart() {
        assertThat(SERVER.admin().get("/").is(200).text())
                .contains(
                        "\"/healthz\"",
                        "\"/healthz/ping\"",
                        "\"/livez/poststarthook/start-apiextensions-controllers\"",
                        "\"/metrics/slis\"",
                        "\"/readyz/shutdown\"");
    }

    @Test
    void aServerThatIsEndingIsNotReady() throws Exception {
        STORE.set(true);
        INFORMERS.set(true);
        HOOK.set(true);
        hook.run();
        SERVER.server().health().closing();
        try {
            assertThat(SERVER.admin().get("/readyz").is(500).text()).contains("[-]shutdown failed: reason withheld\n");
            assertThat(SERVER.admin().get("/readyz/shutdown").is(500).text())
                    .isEqualTo("internal server error: process is shutting down\n");
            SERVER.admin().get("/livez").is(200);
        } finally {
            SERVER.restart();
            parts();
        }
    }
}
