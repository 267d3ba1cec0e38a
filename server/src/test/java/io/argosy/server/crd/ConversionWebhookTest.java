package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.webhook.TestWebhook;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Custom resources whose versions a webhook converts: v1 says {@code hostPort: "a:80"}, v2 says host and port. */
@Timeout(120)
class ConversionWebhookTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private TestClient admin;
    private TestWebhook hook;
    private String plural;
    private String namespace;

    @BeforeEach
    void begin() throws Exception {
        admin = SERVER.admin();
        hook = new TestWebhook(SERVER);
        plural = "sites" + NUMBER.incrementAndGet();
        namespace = SERVER.namespace();
    }

    @AfterEach
    void end() {
        hook.close();
    }

    private void define(UnaryOperator<JsonNode> answer, String reviewVersion) {
        hook.on("/convert", answer);
        String status = "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.replicas',"
                + "'statusReplicasPath':'.status.replicas'}}";
        String v1 = DefinedResources.spec("{'hostPort':{'type':'string'},'replicas':{'type':'integer'}}");
        String v2 = DefinedResources.spec("{'host':{'type':'string'},'port':{'type':'integer'},"
                + "'replicas':{'type':'integer'},'scheme':{'type':'string','default':'http'}}");
        DefinedResources.establish(
                admin,
                "{'metadata':{'name':'" + plural + ".example.com'},'spec':{'group':'example.com','scope':'Namespaced',"
                        + "'names':{'plural':'" + plural + "','kind':'" + kind() + "'},'versions':["
                        + "{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':" + v1 + "}," + status
                        + ",'selectableFields':[{'jsonPath':'.spec.hostPort'}]"
                        + "},{'name':'v2','served':true,'storage':false,'schema':{'openAPIV3Schema':" + v2 + "},"
                        + status
                        + ",'selectableFields':[{'jsonPath':'.spec.host'}]}],'conversion':{'strategy':'Webhook','webhook':{'clientConfig':"
                        + hook.at("/convert")
                        + ",'conversionReviewVersions':['" + reviewVersion + "']}}}}");
    }

    private String kind() {
        return "S" + plural.substring(1);
    }

    private String in(String version) {
        return "/apis/example.com/" + version + "/namespaces/" + namespace + "/" + plural;
    }

    private static ObjectNode answered(JsonNode question) {
        ObjectNode review = Json.object();
        review.set("kind", question.path("kind"));
        review.set("apiVersion", question.path("apiVersion"));
        ObjectNode response = review.putObject("response");
        response.put("uid", question.at("/request/uid").asText());
        response.putObject("result").put("status", "Success");
        String wanted = question.at("/request/desiredAPIVersion").asText();
        for (JsonNode object : question.at("/request/objects")) {
            ObjectNode converted = object.deepCopy();
            converted.put("apiVersion", wanted);
            convert(converted.withObject("/spec"), wanted.endsWith("v2"));
            response.withArray("convertedObjects").add(converted);
        }
        return review;
    }

    private static void convert(ObjectNode spec, boolean split) {
        if (split && spec.has("hostPort")) {
            String[] parts = spec.remove("hostPort").asText().split(":");
            spec.put("host", parts[0]).put("port", Integer.parseInt(parts[1]));
        } else if (!split && spec.has("host")) {
            spec.put(
                    "hostPort",
                    spec.remove("host").asText() + ":" + spec.remove("port").asInt());
            spec.remove("scheme");
        }
    }

    @Test
    void aDefinitionWaitsForTheAuthorityOfItsWebhookAndDoesNotLoseItAgain() {
        String name = plural + ".example.com";
        String bundle = "/spec/conversion/webhook/clientConfig/caBundle";
        String version = "'served':true,'schema':{'openAPIV3Schema':" + DefinedResources.spec("{}") + "}}";
        admin.create(
                DEFINITIONS,
                "{'metadata':{'name':'" + name + "'},'spec':{'group':'example.com','scope':'Namespaced',"
                        + "'names':{'plural':'" + plural + "','kind':'" + kind() + "'},'versions':["
                        + "{'name':'v1','storage':true," + version + ",{'name':'v2','storage':false," + version
                        + "],'conversion':{'strategy':'Webhook','webhook':{'clientConfig':{'url':'https://127.0.0.1/',"
                        + "'caBundle':'Cg=='},'conversionReviewVersions':['v1']}}}}");
        Reply waiting = DefinedResources.await(
                admin,
                name,
                body -> DefinedResources.condition(body, "Established").equals("False"));
        JsonNode condition = DefinedResources.conditionOf(waiting.body(), "Established");
        assertThat(condition.path("reason").asText()).isEqualTo("InvalidCABundle");
        assertThat(condition.path("message").asText()).isEqualTo("The conversion webhook CABundle is invalid");
        admin.get("/apis/example.com/v1/" + plural).is(404);

        String put = "[{'op':'replace','path':'" + bundle + "','value':'";
        admin.patch(DEFINITIONS + "/" + name, TestClient.JSON_PATCH, put + hook.authority() + "'}]")
                .is(200);
        DefinedResources.await(
                admin,
                name,
                body -> DefinedResources.condition(body, "Established").equals("True"));
        Reply refused = admin.patch(DEFINITIONS + "/" + name, TestClient.JSON_PATCH, put + "Cg=='}]")
                .is(422);
        assertThat(refused.message())
                .contains("spec.conversion.webhookClientConfig.caBundle: Invalid value: \"Cg==\": unable to load root"
                        + " certificates: unable to parse bytes as PEM block");
    }

    @Test
    void theDefaultsOfTheWritersVersionAreConvertedAndItsSchemaHolds() {
        define(
                question -> {
                    if (question.at("/request/objects/0/spec/port").isTextual()) {
                        throw new IllegalArgumentException("not a port");
                    }
                    return answered(question);
                },
                "v1");
        admin.create(in("v2"), "{'metadata':{'name':'new'},'spec':{'host':'b','port':443}}");
        assertThat(hook.asked().getFirst().at("/request/objects/0/spec/scheme").asText())
                .isEqualTo("http");
        Reply refused = admin.post(in("v2"), "{'metadata':{'name':'odd'},'spec':{'host':'b','port':'x'}}")
                .is(422);
        assertThat(refused.message())
                .endsWith(
                        "spec.port: Invalid value: \"string\": spec.port in body must be of type integer: \"string\"");
        assertThat(admin.patch(in("v2") + "/new", TestClient.MERGE_PATCH, "{'spec':{'replicas':'many'}}")
                        .is(422)
                        .message())
                .contains("spec.replicas in body must be of type integer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta1"})
    void objectsAreWrittenAndReadInAnyVersion(String reviewVersion) {
        define(ConversionWebhookTest::answered, reviewVersion);
        Reply old = admin.create(in("v1"), "{'metadata':{'name':'old'},'spec':{'hostPort':'a:80','replicas':1}}");
        assertThat(old.at("/spec/hostPort").asText()).isEqualTo("a:80");
        assertThat(hook.asked()).as("nothing to convert").isEmpty();

        Reply seen = admin.get(in("v2") + "/old").is(200);
        assertThat(seen.at("/apiVersion").asText()).isEqualTo("example.com/v2");
        assertThat(seen.at("/spec").toString())
                .isEqualTo("{\"replicas\":1,\"host\":\"a\",\"port\":80,\"scheme\":\"http\"}");
        assertThat(hook.asked().getFirst().path("apiVersion").asText())
                .isEqualTo("apiextensions.k8s.io/" + reviewVersion);

        Reply made = admin.create(in("v2"), "{'metadata':{'name':'new'},'spec':{'host':'b','port':90,'replicas':2}}");
        assertThat(made.at("/spec/port").asInt()).isEqualTo(90);
        assertThat(admin.get(in("v1") + "/new").at("/spec/hostPort").asText()).isEqualTo("b:90");

        Reply patched = admin.patch(in("v2") + "/old", TestClient.MERGE_PATCH, "{'spec':{'port':81}}")
                .is(200);
        assertThat(patched.at("/spec/host").asText()).isEqualTo("a");
        assertThat(admin.get(in("v1") + "/old").at("/spec/hostPort").asText()).isEqualTo("a:81");
        assertThat(admin.get(in("v1") + "/old").at("/metadata/uid")).isEqualTo(old.at("/metadata/uid"));

        admin.patch(in("v2") + "/new/scale", TestClient.MERGE_PATCH, "{'spec':{'replicas':5}}")
                .is(200);
        assertThat(admin.get(in("v1") + "/new").at("/spec/replicas").asInt()).isEqualTo(5);
        admin.delete(in("v2") + "/new").is(200);
    }

    @Test
    void aListIsConvertedAtOnceAndAWatchAsItGoes() {
        define(ConversionWebhookTest::answered, "v1");
        for (int i = 0; i < 5; i++) {
            admin.create(in("v1"), "{'metadata':{'name':'s" + i + "'},'spec':{'hostPort':'h" + i + ":80'}}");
        }
        Reply list = admin.get(in("v2")).is(200);
        assertThat(list.names()).containsExactly("s0", "s1", "s2", "s3", "s4");
        assertThat(list.at("/items/3/spec/host").asText()).isEqualTo("h3");
        assertThat(hook.asked()).hasSize(1);

        try (Events events = admin.watch(in("v2") + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan")) {
            for (int i = 0; i < 5; i++) {
                assertThat(events.next().at("/object/spec/host").asText()).isEqualTo("h" + i);
            }
            JsonNode bookmark = events.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/apiVersion").asText()).isEqualTo("example.com/v2");
            admin.delete(in("v1") + "/s2").is(200);
            JsonNode gone = events.next();
            assertThat(gone.path("type").asText()).isEqualTo("DELETED");
            assertThat(gone.at("/object/spec/host").asText()).isEqualTo("h2");
        }
    }

    @Test
    void fieldsAreSelectedByAsTheClientSeesThem() {
        define(ConversionWebhookTest::answered, "v1");
        for (int i = 0; i < 3; i++) {
            admin.create(in("v1"), "{'metadata':{'name':'s" + i + "'},'spec':{'hostPort':'h" + i + ":80'}}");
        }
        assertThat(admin.get(in("v1") + "?fieldSelector=spec.hostPort=h1:80").names())
                .containsExactly("s1");
        admin.get(in("v1") + "?fieldSelector=spec.host=h1").is(400);
        assertThat(hook.asked()).isEmpty();
        Reply list = admin.get(in("v2") + "?fieldSelector=spec.host=h1").is(200);
        assertThat(list.names()).containsExactly("s1");
        assertThat(hook.asked()).as("once to select, once to show").hasSize(2);
        String since = list.at("/metadata/resourceVersion").asText();
        try (Events events =
                admin.watch(in("v2") + "?watch=true&fieldSelector=spec.host=h1&resourceVersion=" + since)) {
            admin.create(in("v1"), "{'metadata':{'name':'other'},'spec':{'hostPort':'h2:80'}}");
            admin.patch(in("v1") + "/s1", TestClient.MERGE_PATCH, "{'spec':{'hostPort':'h9:80'}}")
                    .is(200);
            JsonNode left = events.next();
            assertThat(left.path("type").asText()).isEqualTo("DELETED");
            assertThat(left.at("/object/metadata/name").asText()).isEqualTo("s1");
        }
    }

    @Test
    void objectsOfAnOlderStorageVersionAreConvertedWhenReadAndRewrittenWhenWritten() {
        define(ConversionWebhookTest::answered, "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        Reply definition = admin.get(DEFINITIONS + "/" + plural + ".example.com");
        ObjectNode moved = definition.body().deepCopy();
        ((ObjectNode) moved.at("/spec/versions/0")).put("storage", false);
        ((ObjectNode) moved.at("/spec/versions/1")).put("storage", true);
        admin.put(DEFINITIONS + "/" + plural + ".example.com", moved).is(200);
        awaitStored();

        assertThat(admin.get(in("v2") + "/s").is(200).at("/spec/host").asText()).isEqualTo("a");
        assertThat(admin.get(in("v1") + "/s").is(200).at("/spec/hostPort").asText())
                .isEqualTo("a:80");
        assertThat(stored()).contains("\"apiVersion\":\"example.com/v1\"");
        assertThat(admin.get(in("v2") + "?fieldSelector=spec.host=a").is(200).names())
                .containsExactly("s");
        assertThat(admin.get(in("v1") + "?fieldSelector=spec.hostPort=a:80")
                        .is(200)
                        .names())
                .containsExactly("s");
        Reply now = admin.get(in("v2") + "/s");
        admin.put(in("v2") + "/s", now.body()).is(200);
        assertThat(stored()).contains("\"apiVersion\":\"example.com/v2\"").contains("\"host\":\"a\"");
    }

    /** The definition has taken effect when a new object is stored in the new version. */
    private void awaitStored() {
        String probe = "{'metadata':{'generateName':'probe-'},'spec':{'hostPort':'p:1'}}";
        String name = admin.create(in("v1"), probe).name();
        while (!stored(name).contains("example.com/v2")) {
            name = admin.create(in("v1"), probe).name();
        }
    }

    private String stored() {
        return stored("s");
    }

    private String stored(String name) {
        return new String(
                SERVER.store()
                        .get("/registry/example.com/" + plural + "/" + namespace + "/" + name)
                        .orElseThrow()
                        .value(),
                StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "name | must have the same name: s != other",
                "uid | must have the same UID: ",
                "kind | invalid kind (expected S",
                "apiVersion | invalid groupVersion (expected example.com/v2, received example.com/v3)",
                "metadata | missing metadata in converted object",
                "label | metadata.labels: Invalid value: \"a b\"",
            })
    void aConversionThatChangesWhatItMustNotIsRefused(String what, String message) {
        define(question -> spoilt(answered(question), what), "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        Reply refused = admin.get(in("v2") + "/s").is(500);
        assertThat(refused.message())
                .startsWith("conversion webhook for example.com/v1, Kind=" + kind()
                        + " returned invalid converted object at index 0: " + message);
        assertThat(admin.get(in("v1") + "/s").is(200).at("/spec/hostPort").asText())
                .isEqualTo("a:80");
    }

    private static ObjectNode spoilt(ObjectNode answer, String what) {
        ObjectNode object = (ObjectNode) answer.at("/response/convertedObjects/0");
        switch (what) {
            case "name" -> object.withObject("/metadata").put("name", "other");
            case "uid" -> object.withObject("/metadata").put("uid", "other");
            case "kind" -> object.put("kind", "Other");
            case "apiVersion" -> object.put("apiVersion", "example.com/v3");
            case "metadata" -> object.remove("metadata");
            default -> object.withObject("/metadata/labels").put("a b", "c");
        }
        return answer;
    }

    @Test
    void labelsAndAnnotationsMayBeConverted() {
        define(
                question -> {
                    ObjectNode answer = answered(question);
                    ObjectNode metadata = (ObjectNode) answer.at("/response/convertedObjects/0/metadata");
                    metadata.withObject("/annotations").put("from", "v1");
                    metadata.put("generation", 99);
                    return answer;
                },
                "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        Reply seen = admin.get(in("v2") + "/s").is(200);
        assertThat(seen.at("/metadata/annotations/from").asText()).isEqualTo("v1");
        assertThat(seen.at("/metadata/generation").asInt()).isEqualTo(1);
    }

    @Test
    void everyObjectMustComeBack() {
        define(
                question -> {
                    ObjectNode answer = answered(question);
                    answer.withArray("/response/convertedObjects").remove(0);
                    return answer;
                },
                "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        admin.create(in("v1"), "{'metadata':{'name':'t'},'spec':{'hostPort':'b:80'}}");
        assertThat(admin.get(in("v2")).is(500).message())
                .isEqualTo("conversion webhook for example.com/v1, Kind=" + kind() + " returned 1 objects, expected 2");
        assertThat(admin.get(in("v1")).is(200).names()).containsExactly("s", "t");
    }

    @Test
    void oneThatDropsTheConnectionOrAnswersNonsenseFailsTheRequestOnly() {
        AtomicInteger asked = new AtomicInteger();
        define(
                question -> {
                    if (asked.getAndIncrement() == 0) {
                        throw new IllegalStateException("gone");
                    }
                    return Json.NODES.textNode("nonsense");
                },
                "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        String about = "conversion webhook for example.com/v1, Kind=" + kind() + " failed: ";
        assertThat(admin.get(in("v2") + "/s").is(500).message())
                .startsWith(about + "Post \"https://127.0.0.1:")
                .endsWith(": EOF");
        assertThat(admin.get(in("v2") + "/s").is(500).message()).startsWith(about + "expected webhook response of");
        assertThat(admin.get(in("v1")).is(200).names()).containsExactly("s");
    }

    @Test
    void aWebhookThatFailsSaysWhyAndTheRestOfTheApiGoesOn() {
        define(
                question -> {
                    ObjectNode answer = answered(question);
                    answer.withObject("/response/result")
                            .put("status", "Failed")
                            .put("message", "cannot do that");
                    answer.withObject("/response").remove("convertedObjects");
                    return answer;
                },
                "v1");
        admin.create(in("v1"), "{'metadata':{'name':'s'},'spec':{'hostPort':'a:80'}}");
        String about = "conversion webhook for example.com/v1, Kind=" + kind() + " failed: ";
        assertThat(admin.get(in("v2") + "/s").is(500).message()).isEqualTo(about + "cannot do that");
        assertThat(admin.get(in("v2")).is(500).message()).isEqualTo(about + "cannot do that");
        admin.post(in("v2"), "{'metadata':{'name':'t'},'spec':{'host':'b','port':1}}")
                .is(500);
        admin.get(in("v1") + "/t").is(404);
        hook.close();
        assertThat(admin.get(in("v2") + "/s").is(500).message()).startsWith(about + "Post \"https://127.0.0.1:");
        assertThat(admin.get(in("v1")).is(200).names()).containsExactly("s");
    }
}
