package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.argosy.store.Entry;
import io.argosy.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Definitions are looked at when first somebody asks for them after a start: nobody may see that. */
class RestoredDefinitionsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String ANY = spec("{'a':{'type':'string'}}");
    private static final String STORED =
            "/registry" + DEFINITIONS.substring("/apis".length()).replace("/v1/", "/");

    @Test
    void whoeverAsksFirstFindsEverything() throws Exception {
        String namespace = SERVER.namespace();
        for (int i = 0; i < 40; i++) {
            establish(SERVER.admin(), definition("early" + i + "s", "Early" + i, ANY, ""));
        }
        String objects = "/apis/example.com/v1/namespaces/" + namespace + "/early39s";
        SERVER.admin().create(objects, "{'metadata':{'name':'one'},'spec':{'a':'x'}}");
        SERVER.restart();
        TestClient admin = SERVER.admin();
        List<String> questions = List.of(objects + "/one", "/apis/example.com/v1", "/openapi/v3/apis/example.com/v1");
        CountDownLatch go = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<TestClient.Reply>> answers = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                String question = questions.get(i % questions.size());
                answers.add(threads.submit(() -> {
                    go.await();
                    return admin.get(question);
                }));
            }
            go.countDown();
            for (Future<TestClient.Reply> answer : answers) {
                answer.get().is(200);
            }
            assertThat(answers.get(1).get().text()).contains("early0s", "early39s");
        }
        admin.get("/apis/example.com/v1/namespaces/" + namespace + "/latecomers")
                .is(404);
    }

    @Test
    void oneThatMakesNoSenseDoesNotTakeTheOthersWithIt() throws Exception {
        establish(SERVER.admin(), definition("sounds", "Sound", ANY, ""));
        establish(SERVER.admin(), definition("brokens", "Broken", ANY, ""));
        Store store = SERVER.store();
        Entry entry = store.get(STORED + "/brokens.example.com").orElseThrow();
        ObjectNode without = Json.decodeObject(entry.value());
        ((ArrayNode) without.at("/spec/versions")).removeAll();
        store.put(entry.key(), Json.encode(without), entry.modRevision());
        SERVER.restart();
        TestClient admin = SERVER.admin();
        assertThat(admin.get("/apis/example.com/v1/sounds").is(200).names()).isEmpty();
        admin.get("/apis/example.com/v1/brokens").is(404);
        admin.get(DEFINITIONS + "/brokens.example.com").is(200);
    }
}
