package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages that say how the server is. */
class HealthPageTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final AtomicBoolean STORE = new AtomicBoolean();
    private static final AtomicBoolean INFORMERS = new AtomicBoolean();

    @BeforeAll
    static void parts() {
        SERVER.server().health().vital("etcd", STORE::get).check("informer-sync", INFORMERS::get);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "true; true; /healthz; 200; ok",
                "true; true; /healthz?verbose; 200; [+]ping ok|[+]etcd ok|healthz check passed|",
                "true; true; /livez?verbose; 200; [+]ping ok|[+]etcd ok|livez check passed|",
                "true; true; /readyz?verbose; 200; [+]ping ok|[+]etcd ok|[+]informer-sync ok|readyz check passed|",
                "true; false; /readyz; 500; [+]ping ok|[+]etcd ok|[-]informer-sync failed: reason withheld|readyz"
                        + " check failed|",
                "true; false; /livez; 200; ok",
                "true; false; /readyz?exclude=informer-sync&verbose; 200; [+]ping ok|[+]etcd ok|[+]informer-sync"
                        + " excluded: ok|readyz check passed|",
                "false; true; /livez; 500; [+]ping ok|[-]etcd failed: reason withheld|livez check failed|",
                "false; true; /healthz?exclude=etcd; 200; ok",
                "true; true; /livez?exclude=b&exclude=a&verbose; 200; [+]ping ok|[+]etcd ok|warn: some health checks"
                        + " cannot be excluded: no matches for \"a\",\"b\"|livez check passed|",
                "true; false; /readyz/ping; 200; ok",
                "false; true; /readyz/etcd; 500; internal server error: etcd failed|",
                "true; true; /livez/informer-sync; 404;",
                "true; true; /readyz/poststarthook/nothing; 404;",
            })
    void sayWhatIsWellAndWhatIsNot(boolean store, boolean informers, String path, int status, String text) {
        STORE.set(store);
        INFORMERS.set(informers);
        TestClient.Reply page = SERVER.admin().get(path).is(status);
        if (status != 404) {
            assertThat(page.text()).isEqualTo(text.replace('|', '\n'));
        }
    }
}
