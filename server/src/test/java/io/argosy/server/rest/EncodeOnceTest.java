package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.ResourceStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bytes that a write made are the very bytes that reads, lists and watches send: the same array, not a like one. */
class EncodeOnceTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;
    private ResourceStore store;

    @BeforeEach
    void anObject() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
        store = SERVER.server().registry().store("", "configmaps");
        admin.create(maps(), "{'metadata':{'name':'m'},'data':{'k':'v'}}");
    }

    private String maps() {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    private ResourceRequest request(String verb, String name, Map<String, List<String>> params) {
        return new ResourceRequest(
                verb,
                store.type(),
                namespace,
                name,
                "",
                "",
                new Params(params),
                "",
                new byte[0],
                User.ANONYMOUS,
                "test",
                new HashMap<>(),
                new ArrayList<>());
    }

    @Test
    void readsAndListsSendTheBytesOfTheWrite() {
        byte[] kept = store.get(namespace, "m").json();
        assertThat(Reads.get(store, request("get", "m", Map.of())).json()).isSameAs(kept);
        ListAnswer list = Reads.list(store, request("list", "", Map.of()));
        assertThat(list.items()).hasSize(1);
        assertThat(list.items().getFirst()).isSameAs(kept);
        assertThat(list.json()).anyMatch(piece -> piece == kept);
        assertThat(admin.get(maps() + "/m").text()).isEqualTo(new String(kept, StandardCharsets.UTF_8));
    }

    @Test
    void allWatchersAreToldTheSameBytes() throws InterruptedException {
        Map<String, List<String>> from =
                Map.of("resourceVersion", List.of(admin.get(maps()).version()));
        Watches.Opened first = Watches.open(store, request("watch", "", from), null, Duration.ofMinutes(1));
        Watches.Opened second = Watches.open(store, request("watch", "", from), null, Duration.ofMinutes(1));
        admin.create(maps(), "{'metadata':{'name':'n'}}");
        byte[] kept = store.get(namespace, "n").json();
        for (Watches.Opened watch : List.of(first, second)) {
            Told told = new Told(new ArrayList<>());
            watch.run(told);
            assertThat(told.objects()).hasSize(1);
            assertThat(told.objects().getFirst().json()).isSameAs(kept);
        }
    }

    /** Ends the watch with the first event. */
    private record Told(List<CachedObject> objects) implements Watches.Sink {
        @Override
        public boolean event(String type, CachedObject object) {
            objects.add(object);
            return false;
        }

        @Override
        public boolean gone() {
            return !objects.isEmpty();
        }
    }

    @Test
    void protobufIsMadeOnceOfEachRevision() {
        CachedObject kept = store.get(namespace, "m");
        List<byte[]> first = Protobuf.stored(kept, store.type());
        List<byte[]> again = Protobuf.stored(kept, store.type());
        assertThat(again.getLast()).isSameAs(first.getLast());
    }
}
