package io.argosy.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Watchers learn from where they can go on, whatever else is going on. */
class BookmarkTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    /** Ends the watch when it has heard enough. */
    private record Heard(List<Long> bookmarks, int enough) implements Watches.Sink {
        @Override
        public boolean event(String type, CachedObject object) {
            assertThat(type).isEqualTo("BOOKMARK");
            bookmarks.add(object.revision());
            return !gone();
        }

        @Override
        public boolean gone() {
            return bookmarks.size() >= enough;
        }
    }

    @Test
    void changesThatDoNotConcernAWatcherDoNotKeepBookmarksFromIt() throws InterruptedException {
        TestClient admin = SERVER.admin();
        String maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        String from = admin.create(maps, "{'metadata':{'name':'busy'}}").version();
        List<Long> written = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            written.add(Long.parseLong(admin.patch(maps + "/busy", TestClient.MERGE_PATCH, "{'data':{'n':'" + i + "'}}")
                    .version()));
        }
        ResourceStore store = SERVER.server().registry().store("", "configmaps");
        ResourceRequest request = new ResourceRequest(
                "watch",
                store.type(),
                "",
                "",
                "",
                "",
                new Params(Map.of(
                        "resourceVersion", List.of(from),
                        "labelSelector", List.of("never=there"),
                        "allowWatchBookmarks", List.of("true"))),
                "",
                new byte[0],
                User.ANONYMOUS,
                "test",
                new HashMap<>(),
                new ArrayList<>());
        Heard heard = new Heard(new ArrayList<>(), written.size());
        Watches.open(store, request, null, Duration.ZERO).run(heard);
        assertThat(heard.bookmarks()).isEqualTo(written);
    }
}
