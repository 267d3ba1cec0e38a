package io.argosy.server.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.GroupVersion;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.VirtualClock;
import io.argosy.server.ApiServer;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.User;
import io.argosy.server.rest.LocalApi;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events are kept for an hour after they were last written, whichever run of the server wrote them. */
class EventExpiryTest {
    private static final GroupVersion V1 = new GroupVersion("", "v1");
    private static final Duration HOUR = Duration.ofMinutes(61);

    @TempDir
    Path folder;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private Store store;
    private ApiServer server;
    private LocalApi api;

    @BeforeEach
    void open() {
        store = SqliteStore.open(folder);
        server = new ApiServer(
                new ApiServer.Config("10.96.0.0/24", 30000, 30100),
                store,
                Credentials.of(() -> {
                    throw new IllegalStateException("no tokens here");
                }),
                clock);
        api = server.local(new User("admin", List.of(User.MASTERS)));
    }

    @AfterEach
    void close() {
        server.close();
        store.close();
    }

    private void send(String verb, String resource, String namespace, String name, String json) {
        byte[] body = json.replace('\'', '"').getBytes(UTF_8);
        String type = verb.equals("patch") ? "application/merge-patch+json" : "application/json";
        api.send(new LocalApi.Call(verb, V1, resource, namespace, name, "", Map.of(), type, body));
    }

    private void event(String name) {
        send(
                "create",
                "events",
                "default",
                "",
                "{'metadata':{'name':'" + name + "'},'involvedObject':{'kind':'Pod','name':'p','namespace':'default'},"
                        + "'reason':'Started','message':'m','type':'Normal','lastTimestamp':'" + clock.now() + "'}");
    }

    private boolean isThere(String name) {
        try {
            send("get", "events", "default", name, "");
            return true;
        } catch (ApiException gone) {
            return false;
        }
    }

    @Test
    void anEventGoesAfterAnHourAndOneThatWasSeenAgainLater() {
        send("create", "namespaces", "", "", "{'metadata':{'name':'default'}}");
        event("once");
        event("again");
        clock.advance(Duration.ofMinutes(40));
        send("patch", "events", "default", "again", "{'count':2}");
        assertThat(isThere("once")).isTrue();
        clock.advance(Duration.ofMinutes(21));
        assertThat(isThere("once")).isFalse();
        assertThat(isThere("again")).isTrue();
        clock.advance(Duration.ofMinutes(40));
        assertThat(isThere("again")).isFalse();
        assertThat(server.registry().store("", "namespaces").find("", "default"))
                .isNotNull();
    }

    @Test
    void eventsOfAnEarlierRunGoTooWhenTheirTimeIsOver() {
        send("create", "namespaces", "", "", "{'metadata':{'name':'default'}}");
        event("old");
        clock.advance(Duration.ofMinutes(30));
        event("young");
        close();
        clock.advance(Duration.ofMinutes(35));
        open();
        clock.advance(Duration.ofMinutes(1));
        assertThat(isThere("old")).isFalse();
        assertThat(isThere("young")).isTrue();
        clock.advance(HOUR);
        assertThat(isThere("young")).isFalse();
    }

    @Test
    void anEventThatIsSeenAgainAndAgainIsWaitedForOnce() {
        send("create", "namespaces", "", "", "{'metadata':{'name':'default'}}");
        ResourceStore events = server.registry().store("", "events");
        try (EventExpiry expiry = new EventExpiry(events, clock)) {
            event("again");
            event("gone");
            for (int i = 2; i < 20; i++) {
                clock.advance(Duration.ofSeconds(1));
                send("patch", "events", "default", "again", "{'count':" + i + "}");
            }
            send("delete", "events", "default", "gone", "");
            assertThat(expiry.size()).isEqualTo(1);
        }
    }
}
