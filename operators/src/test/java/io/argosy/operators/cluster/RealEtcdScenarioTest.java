package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.argosy.operators.RealEtcd;
import io.argosy.operators.Scene;
import io.argosy.store.etcd.EtcdServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator with real etcd in pods of simulated nodes, where what etcd does with its disk and its flags is the point. */
@ArgosyTest(nodes = 3)
class RealEtcdScenarioTest {
    @TempDir
    Path folder;

    private RealEtcd etcd;
    private Scene scene;

    @BeforeEach
    void start(Cluster cluster) {
        EtcdServer.assumeInstalled();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        etcd = new RealEtcd(cluster.client(), folder, "127." + random.nextInt(16, 250) + "." + random.nextInt(1, 250));
        scene = Scene.inRealTime(cluster, "example", etcd, etcd::play);
        scene.startOperator();
        scene.apply("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: example}
                spec: {size: 3, version: 3.4.23}
                """);
        scene.awaitMembers(3);
    }

    @AfterEach
    void stop() {
        if (scene != null) {
            scene.close();
            etcd.close();
        }
    }

    /** Two of three disks are gone for good. */
    @Test
    void aSurvivorGoesOnAloneWithWhatItHasAndGrows() throws Exception {
        String survivor = scene.members().getFirst();
        String id = scene.status().clusterId();
        put(survivor, "before", "kept");
        scene.destroy(scene.members().subList(1, 3));
        scene.await("it is said", () -> scene.condition("Available").equals("False QuorumLost"));
        assertThat(scene.message("Available")).contains("member: " + survivor);
        scene.consent(survivor);
        scene.awaitMembers(3);
        assertThat(scene.members()).contains(survivor);
        assertThat(scene.status().clusterId()).isEqualTo(id);
        for (String member : scene.members()) {
            assertThat(get(member, "before")).isEqualTo(base64("kept"));
        }
        assertThat(scene.volumes()).noneMatch(volume -> MemberNotes.of(volume).force());
        assertThat(scene.events()).contains("RecoveringFromSurvivor", "RecoveredFromSurvivor");
        put(scene.members().getLast(), "after", "too");
    }

    @Test
    void anEtcdThatAsksForAUserIsToldFromOneThatIsSilent() throws Exception {
        String member = scene.members().getFirst();
        ask(member, "auth/user/add", "{\"name\": \"root\", \"password\": \"secret\"}");
        ask(member, "auth/user/grant", "{\"user\": \"root\", \"role\": \"root\"}");
        ask(member, "auth/enable", "{}");
        scene.await("it is said", () -> scene.condition("Available").equals("True AuthenticationOn"));
        assertThat(scene.message("Available")).contains("etcdctl auth disable");
        assertThat(scene.members()).hasSize(3);
        scene.resize(4);
        scene.await(
                "why it does not grow is said",
                () -> scene.status().reason() != null && scene.status().reason().contains("user name is empty"));
        assertThat(scene.volumes()).hasSize(3);
        scene.await("an event tells it", () -> scene.events().contains("AuthenticationOn"));
    }

    private void put(String member, String key, String value) throws Exception {
        ask(member, "kv/put", "{\"key\": \"" + base64(key) + "\", \"value\": \"" + base64(value) + "\"}");
    }

    private String get(String member, String key) throws Exception {
        return new ObjectMapper()
                .readTree(ask(member, "kv/range", "{\"key\": \"" + base64(key) + "\"}"))
                .at("/kvs/0/value")
                .asText();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private String ask(String member, String question, String body) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(URI.create("http://" + etcd.address(member) + ":2379/v3/" + question))
                            .timeout(Duration.ofSeconds(10))
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return answer.body();
        }
    }
}
