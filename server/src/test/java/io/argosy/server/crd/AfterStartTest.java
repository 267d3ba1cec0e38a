package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that listens does not look at stored definitions before it has said that it is ready, unless somebody asks for what they define. */
@Timeout(120)
class AfterStartTest {
    private static final VirtualClock CLOCK = new VirtualClock(Instant.now());
    private static final AtomicBoolean READY = new AtomicBoolean(true);

    @RegisterExtension
    static final TestServer SERVER = new TestServer().listeningFirst(CLOCK, READY::get);

    private TestClient admin;
    private CountDownLatch lookedAt;

    @BeforeAll
    static void define() {
        establish(SERVER.admin(), definition("storeds", "Stored", spec("{'a':{'type':'string'}}"), ""));
        SERVER.admin()
                .create("/apis/example.com/v1/namespaces/default/storeds", "{'metadata':{'name':'one'},'spec':{}}");
    }

    @BeforeEach
    void restart() throws Exception {
        READY.set(true);
        SERVER.restart();
        admin = SERVER.admin();
        lookedAt = new CountDownLatch(1);
        SERVER.server().registry().onChange(lookedAt::countDown);
    }

    /** Nothing but the listener tells, and what would call it has nothing else to wait for once the clock is let go. */
    private void assertNotLookedAt() {
        assertThat(lookedAt.getCount()).isEqualTo(1);
    }

    @Test
    void theyAreLookedAtOnceTheServerHasSaidThatItIsReady() throws InterruptedException {
        READY.set(false);
        admin.get("/readyz").is(500);
        assertNotLookedAt();
        READY.set(true);
        admin.get("/readyz").is(200);
        lookedAt.await();
    }

    @Test
    void theyAreLookedAtSoonIfNobodyComes() throws InterruptedException {
        CLOCK.advance(Duration.ofMillis(4_999));
        assertNotLookedAt();
        CLOCK.advance(Duration.ofMillis(1));
        lookedAt.await();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/apis/example.com/v1/namespaces/default/storeds/one",
                "/apis/example.com/v1/storeds",
                "/apis/example.com/v1",
                "/apis/example.com",
                "/openapi/v3/apis/example.com/v1",
            })
    void whoeverAsksBeforeThatFindsThem(String path) throws InterruptedException {
        READY.set(false);
        assertNotLookedAt();
        admin.get(path).is(200);
        lookedAt.await();
    }

    @Test
    void whatIsDefinedAfterTheStartIsServedWithoutAnyoneAskingForReadiness() {
        establish(admin, definition("fresh" + System.nanoTime() + "s", "Fresh" + System.nanoTime(), spec("{}"), ""));
        assertThat(admin.get("/apis/example.com/v1").is(200).text()).contains("storeds", "fresh");
    }
}
