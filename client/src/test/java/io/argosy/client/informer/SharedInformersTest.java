package io.argosy.client.informer;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources;
import io.argosy.client.fake.FakeApi;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedInformersTest {
    private final FakeApi api = new FakeApi();
    private final Resources<ConfigMap> maps = api.client().resources(ConfigMap.class);
    private final SharedInformers informers = new SharedInformers(api, Clock.system());
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private Informer<ConfigMap> informer;

    @BeforeEach
    void watch() {
        informer = informers.of(ConfigMap.class);
        informer.addHandler(new Recorder());
    }

    @AfterEach
    void close() {
        informers.close();
    }

    private final class Recorder implements Informer.Handler<ConfigMap> {
        @Override
        public void added(ConfigMap object) {
            seen.add("+" + text(object));
        }

        @Override
        public void updated(ConfigMap before, ConfigMap after) {
            seen.add(text(before) + ">" + text(after));
        }

        @Override
        public void deleted(ConfigMap last) {
            seen.add("-" + text(last));
        }
    }

    @Test
    void whatIsThereComesFirstThenEveryChangeInOrder() throws InterruptedException {
        create("a", "1");
        start();
        set("a", "2");
        set("a", "3");
        maps.delete("default", "a", Resources.DeleteOptions.DEFAULT);
        informer.awaitRevision(api.revision());
        assertThat(seen).containsExactly("+a1", "a1>a2", "a2>a3", "-a3");
        assertThat(informer.list()).isEmpty();
    }

    @Test
    void theCacheIsReadByNameNamespaceAndIndex() throws InterruptedException {
        informer.addIndex("value", map -> List.of(map.getData().get("k")));
        start();
        create("a", "1");
        create("b", "1");
        create("c", "2");
        informer.awaitRevision(api.revision());
        assertThat(informer.get(NamespacedName.of("default", "a"))).isPresent();
        assertThat(informer.list("default")).hasSize(3);
        assertThat(informer.list("other")).isEmpty();
        assertThat(names(informer.byIndex("value", "1"))).containsExactlyInAnyOrder("a", "b");
        set("a", "2");
        informer.awaitRevision(api.revision());
        assertThat(names(informer.byIndex("value", "1"))).containsExactly("b");
        assertThat(names(informer.byIndex("value", "2"))).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void aDroppedWatchResumesWithoutLossOrRepetition() throws InterruptedException {
        start();
        for (int i = 0; i < 200; i++) {
            create("m" + i, "x");
            if (i % 20 == 0) {
                api.dropWatches(i % 40 == 0 ? null : new IllegalStateException("connection reset"));
            }
        }
        informer.awaitRevision(api.revision());
        assertThat(seen).hasSize(200).doesNotHaveDuplicates();
        assertThat(api.requests().stream().filter(request -> request.verb() == Verb.LIST))
                .hasSize(1);
    }

    @Test
    void anExpiredWatchListsAgainAndTellsTheDifference() throws InterruptedException {
        create("kept", "1");
        create("gone", "1");
        create("changed", "1");
        start();
        api.holdEvents();
        maps.delete("default", "gone", Resources.DeleteOptions.DEFAULT);
        set("changed", "2");
        create("new", "1");
        api.compact();
        api.dropWatches(null);
        api.releaseEvents();
        informer.awaitRevision(api.revision());
        assertThat(seen.subList(3, seen.size())).containsExactlyInAnyOrder("changed1>changed2", "+new1", "-gone1");
    }

    @Test
    void aFailingListIsTriedAgain() throws InterruptedException {
        create("a", "1");
        api.failOnce(
                request -> request.verb() == Verb.LIST, new ApiException(Reason.ServiceUnavailable, "starting up"));
        start();
        assertThat(seen).containsExactly("+a1");
    }

    @Test
    void aBookmarkAdvancesTheRevision() throws InterruptedException {
        start();
        api.client().resources(io.fabric8.kubernetes.api.model.Namespace.class).create(namespace());
        assertThat(informer.revision()).isLessThan(api.revision());
        eventually("watching", () -> api.openWatches() == 1);
        api.bookmark();
        informer.awaitRevision(api.revision());
        assertThat(seen).isEmpty();
    }

    @Test
    void aLateHandlerIsToldOfWhatIsThere() throws InterruptedException {
        create("a", "1");
        start();
        informer.addHandler(new Recorder());
        eventually("told", () -> seen.equals(List.of("+a1", "+a1")));
    }

    @Test
    void closingEndsTheWatch() throws InterruptedException {
        start();
        eventually("watching", () -> api.openWatches() == 1);
        informers.close();
        eventually("watch closed", () -> api.openWatches() == 0);
    }

    private void start() throws InterruptedException {
        informers.start();
        informers.awaitSync();
    }

    private static io.fabric8.kubernetes.api.model.Namespace namespace() {
        return new io.fabric8.kubernetes.api.model.NamespaceBuilder()
                .withNewMetadata()
                .withName("n")
                .endMetadata()
                .build();
    }

    private void create(String name, String value) {
        maps.create(new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .addToData("k", value)
                .build());
    }

    private void set(String name, String value) {
        ConfigMap map = maps.get("default", name);
        map.setData(Map.of("k", value));
        maps.update(map);
    }

    private static List<String> names(List<ConfigMap> maps) {
        return maps.stream().map(map -> map.getMetadata().getName()).toList();
    }

    private static String text(ConfigMap map) {
        return map.getMetadata().getName() + map.getData().get("k");
    }
}
