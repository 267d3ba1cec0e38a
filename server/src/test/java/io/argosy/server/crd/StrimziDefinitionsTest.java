package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The definitions of Strimzi, as its own published program prints them; that of Kafka is larger than a megabyte. */
class StrimziDefinitionsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String MODEL = "io.strimzi.api.kafka.model.";
    private static final String KAFKAS = "/apis/kafka.strimzi.io/v1beta2/namespaces/default/kafkas";

    @TempDir
    static Path folder;

    private static TestClient admin;

    @BeforeAll
    static void print() throws IOException, InterruptedException {
        admin = SERVER.admin();
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                Path.of("target", "strimzi").toAbsolutePath() + "/*",
                "io.strimzi.crdgenerator.CrdGenerator",
                "--yaml",
                "--target-kube",
                "1.25+"));
        for (String type : List.of(
                "kafka.Kafka",
                "connect.KafkaConnect",
                "topic.KafkaTopic",
                "user.KafkaUser",
                "nodepool.KafkaNodePool",
                "mirrormaker2.KafkaMirrorMaker2")) {
            command.add(MODEL + type + "=" + folder.resolve(type + ".yaml"));
        }
        Process printing = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(printing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(printing.waitFor()).as(said).isZero();
    }

    private static String define(String type) throws IOException {
        Reply made =
                admin.send("POST", DEFINITIONS, "application/yaml", Files.readAllBytes(folder.resolve(type + ".yaml")));
        if (made.status() != 409) { // another test was first
            made.is(201);
        }
        String name = made.status() == 409 ? made.at("/details/name").asText() : made.name();
        DefinedResources.await(
                admin,
                name,
                body -> DefinedResources.condition(body, "Established").equals("True"));
        return name;
    }

    @ParameterizedTest
    @CsvSource({
        "kafka.Kafka, kafkas, v1beta2",
        "connect.KafkaConnect, kafkaconnects, v1beta2",
        "topic.KafkaTopic, kafkatopics, v1beta2",
        "topic.KafkaTopic, kafkatopics, v1alpha1",
        "user.KafkaUser, kafkausers, v1beta2",
        "nodepool.KafkaNodePool, kafkanodepools, v1beta2",
        "mirrormaker2.KafkaMirrorMaker2, kafkamirrormaker2s, v1beta2"
    })
    void aDefinitionIsEstablishedAndItsResourceServed(String type, String plural, String version) throws IOException {
        assertThat(define(type)).isEqualTo(plural + ".kafka.strimzi.io");
        assertThat(admin.get("/apis/kafka.strimzi.io/" + version + "/" + plural)
                        .is(200)
                        .names())
                .isEmpty();
        assertThat(admin.get("/openapi/v3/apis/kafka.strimzi.io/" + version)
                        .is(200)
                        .text())
                .contains("/" + plural + "/{name}");
    }

    @Test
    void aKafkaClusterIsWrittenPrunedAndRefused() throws IOException {
        assertThat(folder.resolve("kafka.Kafka.yaml"))
                .satisfies(file -> assertThat(Files.size(file)).isGreaterThan(1_000_000));
        define("kafka.Kafka");
        Reply made = admin.create(KAFKAS, """
                {'apiVersion':'kafka.strimzi.io/v1beta2','kind':'Kafka','metadata':{'name':'my-cluster','annotations':{'strimzi.io/kraft':'enabled'}},
                 'spec':{'nowhere':1,'kafka':{'version':'3.9.0','metadataVersion':'3.9-IV0',
                   'listeners':[{'name':'plain','port':9092,'type':'internal','tls':false},{'name':'tls','port':9093,'type':'internal','tls':true}],
                   'config':{'offsets.topic.replication.factor':1,'default.replication.factor':1},
                   'template':{'pod':{'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[
                     {'topologyKey':'kubernetes.io/hostname','labelSelector':{'matchLabels':{'a':'b'}}}]}}}}},
                  'entityOperator':{'topicOperator':{},'userOperator':{}}}}""");
        assertThat(made.at("/spec").has("nowhere")).isFalse();
        assertThat(made.at("/spec/kafka/config").size()).isEqualTo(2);
        assertThat(made.at("/spec/kafka/listeners").size()).isEqualTo(2);
        Reply refused = admin.patch(
                KAFKAS + "/my-cluster",
                TestClient.MERGE_PATCH,
                "{'spec':{'kafka':{'listeners':[{'name':'PLAIN','port':80,'type':'internals','tls':'no'}]}}}");
        assertThat(refused.is(422).message())
                .contains(
                        "spec.kafka.listeners[0].name in body should match '^[a-z0-9]{1,11}$'",
                        "spec.kafka.listeners[0].port in body should be greater than or equal to 9092",
                        "spec.kafka.listeners[0].type: Unsupported value: \"internals\"",
                        "spec.kafka.listeners[0].tls in body must be of type boolean: \"string\"");
        admin.delete(KAFKAS + "/my-cluster").is(200);
    }
}
