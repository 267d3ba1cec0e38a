package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static io.argosy.server.crd.DefinedResources.awaitGone;
import static io.argosy.server.crd.DefinedResources.condition;
import static io.argosy.server.crd.DefinedResources.conditionOf;
import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.store.Entry;
import io.argosy.store.ListOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The life of a definition: names, conditions, versions, the old form, and its end. */
class DefinitionTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String ANY = spec("{'a':{'type':'string'}}");

    private TestClient admin;

    @BeforeEach
    void client() {
        admin = SERVER.admin();
    }

    @Test
    void whereAnythingGoesNoFieldIsNamed() {
        establish(
                admin, definition("bags", "Bag", "{'type':'object','x-kubernetes-preserve-unknown-fields':true}", ""));
        Reply published = admin.await(
                "/openapi/v2",
                reply -> reply.text().contains("com.example.stable.v1.Bag")
                        || reply.text().contains(".v1.Bag\""));
        published.body().path("definitions").properties().stream()
                .filter(entry -> entry.getKey().endsWith(".v1.Bag"))
                .forEach(entry -> {
                    assertThat(entry.getValue().path("type").asText()).isEqualTo("object");
                    assertThat(entry.getValue().has("properties"))
                            .as("kubectl takes those that are named for all there are")
                            .isFalse();
                    assertThat(entry.getValue().has("x-kubernetes-preserve-unknown-fields"))
                            .isFalse();
                });
    }

    @Test
    void aDefinitionGetsItsNamesAndIsEstablished() {
        Reply made = establish(admin, definition("shirts", "Shirt", ANY, ""));
        assertThat(made.at("/status/acceptedNames").toString())
                .isEqualTo(
                        "{\"kind\":\"Shirt\",\"plural\":\"shirts\",\"singular\":\"shirt\",\"listKind\":\"ShirtList\"}");
        assertThat(made.at("/status/storedVersions").toString()).isEqualTo("[\"v1\"]");
        assertThat(made.at("/spec/conversion/strategy").asText()).isEqualTo("None");
        assertThat(made.at("/metadata/generation").asInt()).isEqualTo(1);
        List<String> conditions = new ArrayList<>();
        made.at("/status/conditions")
                .forEach(one -> conditions.add(one.path("type").asText() + " "
                        + one.path("status").asText() + " " + one.path("reason").asText() + ": "
                        + one.path("message").asText()));
        assertThat(conditions)
                .containsExactly(
                        "NamesAccepted True NoConflicts: no conflicts found",
                        "Established True InitialNamesAccepted: the initial names have been accepted");
    }

    @Test
    void whoSeesThatAResourceIsEstablishedFindsItServed() {
        for (int i = 0; i < 20; i++) {
            establish(admin, definition("quick" + i + "s", "Quick" + i, ANY, ""));
            admin.get("/apis/example.com/v1/quick" + i + "s").is(200);
        }
    }

    @Test
    void aNameThatIsTakenIsRefusedUntilItIsFree() {
        establish(admin, definition("hats", "Hat", ANY, "").replace("'kind':'Hat'", "'kind':'Hat','shortNames':['h']"));
        String second =
                definition("caps", "Hat", ANY, "").replace("'kind':'Hat'", "'kind':'Hat','shortNames':['h','c']");
        admin.create(DEFINITIONS, second);
        Reply refused = DefinedResources.await(
                admin,
                "caps.example.com",
                body -> condition(body, "NamesAccepted").equals("False"));
        JsonNode names = conditionOf(refused.body(), "NamesAccepted");
        assertThat(names.path("reason").asText()).isEqualTo("ListKindConflict");
        assertThat(names.path("message").asText()).isEqualTo("\"HatList\" is already in use");
        assertThat(conditionOf(refused.body(), "Established").path("reason").asText())
                .isEqualTo("NotAccepted");
        admin.get("/apis/example.com/v1/caps").is(404);
        admin.delete(DEFINITIONS + "/hats.example.com").is(200);
        DefinedResources.await(
                admin,
                "caps.example.com",
                body -> condition(body, "Established").equals("True"));
        admin.get("/apis/example.com/v1/caps").is(200);
    }

    @Test
    void theFormOfOldWithoutASchemaKeepsEverything() {
        String namespace = SERVER.namespace();
        Reply made = admin.post("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions", """
                {"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",
                 "metadata":{"name":"networks.samplecrd.k8s.io"},
                 "spec":{"group":"samplecrd.k8s.io","version":"v1","names":{"kind":"Network","plural":"networks"},
                         "scope":"Namespaced"}}""")
                .is(201);
        assertThat(made.at("/apiVersion").asText()).isEqualTo("apiextensions.k8s.io/v1beta1");
        assertThat(made.at("/spec/version").asText()).isEqualTo("v1");
        Reply network = DefinedResources.await(
                admin,
                "networks.samplecrd.k8s.io",
                body -> condition(body, "Established").equals("True"));
        assertThat(conditionOf(network.body(), "NonStructuralSchema")
                        .path("message")
                        .asText())
                .isEqualTo("spec.preserveUnknownFields: Invalid value: true: must be false");
        assertThat(conditionOf(network.body(), "KubernetesAPIApprovalPolicyConformant")
                        .path("reason")
                        .asText())
                .isEqualTo("MissingAnnotation");
        String networks = "/apis/samplecrd.k8s.io/v1/namespaces/" + namespace + "/networks";
        Reply example = admin.create(
                networks,
                "{'apiVersion':'samplecrd.k8s.io/v1','kind':'Network','metadata':{'name':'example-network'},"
                        + "'spec':{'cidr':'192.168.0.0/16','gateway':'192.168.0.1'}}");
        assertThat(example.at("/spec").toString())
                .isEqualTo("{\"cidr\":\"192.168.0.0/16\",\"gateway\":\"192.168.0.1\"}");
        assertThat(admin.get(networks).is(200).at("/kind").asText()).isEqualTo("NetworkList");
        admin.delete(networks + "/example-network").is(200);
    }

    @Test
    void definitionsThatMakeNoSenseAreRefusedAndNothingBreaks() {
        String old = "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions";
        for (String spec : List.of(
                "5",
                "{'group':'example.com','names':{'plural':'odds','kind':'Odd'},'version':'v1','versions':['v1']}",
                "{'group':'example.com','names':{'plural':'odds','kind':'Odd'},'versions':[{'name':'v1','additionalPrinterColumns':[1]}]}",
                "{'group':'example.com','names':[]}",
                "{}")) {
            for (String path : List.of(old, DEFINITIONS)) {
                int status = admin.post(path, "{'metadata':{'name':'odds.example.com'},'spec':" + spec + "}")
                        .status();
                assertThat(status).as(path + " " + spec).isIn(400, 422);
            }
        }
        String unreadable =
                "{'metadata':{'name':'odds.example.com'},'spec':{'group':'example.com','version':'v1','names':{'plural':'odds',"
                        + "'kind':'Odd'},'validation':{'openAPIV3Schema':{'properties':{'spec':{'properties':{'a':{'pattern':'('}}}}}}}}";
        admin.create(old, unreadable);
        DefinedResources.await(
                admin,
                "odds.example.com",
                body -> condition(body, "Established").equals("True"));
        admin.post("/apis/example.com/v1/namespaces/default/odds", "{'metadata':{'name':'o'},'spec':{'a':'x','b':1}}")
                .is(422);
    }

    @Test
    void aDefinitionWithTheNameOfABuiltInKindDoesNotTouchIt() {
        String policies = "/apis/networking.k8s.io/v1/namespaces/" + SERVER.namespace() + "/networkpolicies";
        String name = "networkpolicies.networking.k8s.io";
        admin.create(policies, "{'metadata':{'name':'before'},'spec':{'podSelector':{}}}");
        String clash = definition("networkpolicies", "NetworkPolicy", ANY, "")
                .replace("example.com", "networking.k8s.io")
                .replace("{'metadata':{", "{'metadata':{'annotations':{'api-approved.kubernetes.io':'unapproved'},")
                .replace(
                        "'versions':[",
                        "'versions':[{'name':'v9','served':true,'storage':false,'schema':{'openAPIV3Schema':" + ANY
                                + "}},");
        admin.create(DEFINITIONS, clash);
        DefinedResources.await(
                admin, name, body -> condition(body, "Established").equals("True"));
        admin.get("/apis/networking.k8s.io/v9/networkpolicies").is(404);
        assertThat(admin.get(policies).is(200).names()).containsExactly("before");
        assertThat(admin.create(policies, "{'metadata':{'name':'after'},'spec':{'podSelector':{}}}")
                        .at("/spec/policyTypes/0")
                        .asText())
                .as("a default of the built-in kind")
                .isEqualTo("Ingress");
        admin.post(policies, "{'metadata':{'name':'odd'},'spec':{'podSelector':'all'}}")
                .is(400);
        admin.delete(DEFINITIONS + "/" + name).is(200);
        admin.await(DEFINITIONS + "/" + name, reply -> reply.status() == 404);
        assertThat(admin.get(policies).is(200).names()).containsExactlyInAnyOrder("before", "after");
    }

    @Test
    void aChangeOfTheDefinitionIsServedAtOnce() {
        String namespace = SERVER.namespace();
        Reply made = establish(admin, definition("coats", "Coat", ANY, ""));
        String coats = "/apis/example.com/v1/namespaces/" + namespace + "/coats";
        admin.create(coats, "{'metadata':{'name':'old'},'spec':{'a':'x'}}");
        ObjectNode changed = (ObjectNode) made.body().deepCopy();
        ((ObjectNode) changed.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"))
                .putObject("b")
                .put("type", "integer")
                .put("default", 7);
        admin.put(DEFINITIONS + "/coats.example.com", changed).is(200);
        Reply fresh;
        do { // the definition is taken note of right after its write
            fresh = admin.post(coats, "{'metadata':{'generateName':'new-'},'spec':{'a':'y'}}")
                    .is(201);
        } while (fresh.at("/spec/b").isMissingNode());
        assertThat(fresh.at("/spec/b").asInt()).isEqualTo(7);
        assertThat(admin.get(coats + "/old").at("/spec/b").asInt())
                .as("objects of before have the default, too")
                .isEqualTo(7);
        assertThat(admin.get(DEFINITIONS + "/coats.example.com")
                        .at("/metadata/generation")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void severalVersionsShareTheirObjects() {
        String namespace = SERVER.namespace();
        establish(
                admin,
                definition("shoes", "Shoe", spec("{'a':{'type':'string'},'b':{'type':'string','default':'bee'}}"), "")
                        .replace(
                                "]}}",
                                ",{'name':'v1beta1','served':true,'storage':false,'deprecated':true,'schema':{'openAPIV3Schema':"
                                        + ANY
                                        + "}},{'name':'v2','served':false,'storage':false,'schema':{'openAPIV3Schema':"
                                        + ANY + "}}]}}"));
        String v1 = "/apis/example.com/v1/namespaces/" + namespace + "/shoes";
        String beta = "/apis/example.com/v1beta1/namespaces/" + namespace + "/shoes";
        Reply made = admin.create(beta, "{'metadata':{'name':'s'},'spec':{'a':'x','b':'dropped'}}");
        assertThat(made.at("/apiVersion").asText()).isEqualTo("example.com/v1beta1");
        assertThat(made.at("/spec").toString()).isEqualTo("{\"a\":\"x\"}");
        assertThat(made.headers().firstValue("warning").orElse(""))
                .isEqualTo("299 - \"example.com/v1beta1 Shoe is deprecated\"");
        assertThat(admin.get(v1 + "/s").at("/spec").toString()).isEqualTo("{\"a\":\"x\",\"b\":\"bee\"}");
        admin.get("/apis/example.com/v2/namespaces/" + namespace + "/shoes").is(404);
        assertThat(admin.get("/apis/example.com")
                        .at("/preferredVersion/version")
                        .asText())
                .isEqualTo("v1");
    }

    @Test
    void anObjectMustBeRightInTheVersionItIsWrittenIn() {
        String namespace = SERVER.namespace();
        String second =
                spec("{'n':{'type':'integer','minimum':1,'x-kubernetes-validations':[{'rule':'self >= oldSelf'}]},"
                        + "'b':{'type':'string','default':'bee'}}");
        establish(
                admin,
                definition("boots", "Boot", spec("{'n':{'type':'integer','maximum':9},'b':{'type':'string'}}"), "")
                        .replace(
                                "]}}",
                                ",{'name':'v2','served':true,'storage':false,'schema':{'openAPIV3Schema':" + second
                                        + "}}]}}"));
        String v1 = "/apis/example.com/v1/namespaces/" + namespace + "/boots";
        String v2 = "/apis/example.com/v2/namespaces/" + namespace + "/boots";
        assertThat(admin.post(v2, "{'metadata':{'name':'low'},'spec':{'n':0}}")
                        .is(422)
                        .message())
                .endsWith("spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1");
        admin.create(v1, "{'metadata':{'name':'low'},'spec':{'n':0}}");
        admin.create(v2, "{'metadata':{'name':'high'},'spec':{'n':10}}");
        assertThat(admin.get(v1 + "/high").at("/spec/b").asText()).isEqualTo("bee");
        assertThat(admin.patch(v2 + "/high", TestClient.MERGE_PATCH, "{'spec':{'n':8}}")
                        .is(422)
                        .message())
                .contains("failed rule: self >= oldSelf");
        admin.patch(v1 + "/high", TestClient.MERGE_PATCH, "{'spec':{'n':8}}").is(200);
        admin.post(v1, "{'metadata':{'name':'odd'},'spec':{'n':10}}").is(422);
    }

    @Test
    void whatNobodyHasSeenMayBecomeAnything() throws Exception {
        String namespace = SERVER.namespace();
        establish(
                admin,
                definition(
                        "belts",
                        "Belt",
                        spec("{'n':{'type':'integer','x-kubernetes-validations':[{'rule':'self >= oldSelf'}]}}"),
                        ""));
        String belts = "/apis/example.com/v1/namespaces/" + namespace + "/belts";
        CompletableFuture<Reply> creation = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () -> creation.complete(
                                admin.post(
                                        belts,
                                        "{'metadata':{'name':'b','initializers':{'pending':[{'name':'a.example.com'}]}},'spec':{'n':5}}")));
        admin.await(belts + "/b?includeUninitialized=true", reply -> reply.status() == 200);
        admin.patch(belts + "/b", TestClient.MERGE_PATCH, "{'spec':{'n':1},'metadata':{'initializers':{'pending':[]}}}")
                .is(200);
        creation.get().is(201);
        admin.patch(belts + "/b", TestClient.MERGE_PATCH, "{'spec':{'n':0}}").is(422);
    }

    @Test
    void whatMayBeASurpriseIsTold() {
        String namespace = SERVER.namespace();
        Reply made = admin.create(
                DEFINITIONS,
                definition(
                        "scarves",
                        "Scarf",
                        spec("{'a':{'type':'string','format':'colour'},'b':{'type':'string','format':'date-time'},"
                                + "'c':{'type':'integer','format':'int32'},'format':{'type':'string'}}"),
                        ""));
        assertThat(made.headers().allValues("warning")).containsExactly("299 - \"unrecognized format \\\"colour\\\"\"");
        DefinedResources.await(
                admin,
                "scarves.example.com",
                body -> condition(body, "Established").equals("True"));
        assertThat(admin.patch(
                                DEFINITIONS + "/scarves.example.com",
                                TestClient.MERGE_PATCH,
                                "{'metadata':{'labels':{'a':'b'}}}")
                        .is(200)
                        .headers()
                        .allValues("warning"))
                .isEmpty();
        String scarves = "/apis/example.com/v1/namespaces/" + namespace + "/scarves";
        assertThat(admin.create(
                                scarves,
                                "{'metadata':{'name':'s','finalizers':['example.com/ok','example.com','plain','orphan']}}")
                        .headers()
                        .allValues("warning"))
                .hasSize(2)
                .anyMatch(line ->
                        line.contains("example.com\\\": prefer a domain-qualified finalizer name including a path (/)"
                                + " to avoid accidental conflicts with other finalizer writers"))
                .anyMatch(
                        line -> line.contains("plain\\\": prefer a domain-qualified finalizer name to avoid accidental"
                                + " conflicts with other finalizer writers"));
    }

    @Test
    void storedVersionsAreKeptInMind() {
        Reply made = establish(admin, definition("socks", "Sock", ANY, ""));
        ObjectNode changed = (ObjectNode) made.body().deepCopy();
        ObjectNode second = (ObjectNode) changed.at("/spec/versions/0").deepCopy();
        ((ObjectNode) changed.at("/spec/versions/0")).put("storage", false);
        second.put("name", "v1alpha1");
        changed.withArray("/spec/versions").add(second);
        Reply both = admin.put(DEFINITIONS + "/socks.example.com", changed).is(200);
        assertThat(both.at("/status/storedVersions").toString()).isEqualTo("[\"v1\",\"v1alpha1\"]");
        Reply refused = admin.patch(
                        DEFINITIONS + "/socks.example.com",
                        TestClient.JSON_PATCH,
                        "[{'op':'remove','path':'/spec/versions/0'}]")
                .is(422);
        assertThat(refused.message())
                .contains("status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was"
                        + " previously a storage version");
    }

    @Test
    void aWriteThatChangesNothingStoresAnObjectInTheNewVersion() throws Exception {
        Reply made = establish(admin, definition("crowns", "Crown", ANY, ""));
        String crowns = "/namespaces/" + SERVER.namespace() + "/crowns";
        admin.create("/apis/example.com/v1" + crowns, "{'metadata':{'name':'old'}}");
        ObjectNode changed = (ObjectNode) made.body().deepCopy();
        ObjectNode second = (ObjectNode) changed.at("/spec/versions/0").deepCopy();
        ((ObjectNode) changed.at("/spec/versions/0")).put("storage", false);
        changed.withArray("/spec/versions").add(second.put("name", "v1beta2"));
        admin.put(DEFINITIONS + "/crowns.example.com", changed).is(200);
        Reply read = admin.await("/apis/example.com/v1beta2" + crowns + "/old", reply -> reply.status() == 200);
        for (int round = 0; round < 2; round++) { // before and after a restart, which reads the store anew
            Reply written = admin.put("/apis/example.com/v1beta2" + crowns + "/old", read.body())
                    .is(200);
            assertThat(stored("crowns", "old").path("apiVersion").asText()).isEqualTo("example.com/v1beta2");
            assertThat(written.version().equals(read.version())).isEqualTo(round == 1);
            if (round == 0) {
                SERVER.restart();
                admin = SERVER.admin();
            }
            read = admin.get("/apis/example.com/v1beta2" + crowns + "/old").is(200);
        }
    }

    private static JsonNode stored(String plural, String name) {
        for (Entry entry : SERVER.store()
                .list("/registry/example.com/" + plural + "/", ListOptions.ALL)
                .entries()) {
            if (entry.key().endsWith("/" + name)) {
                return Json.decodeObject(entry.value());
            }
        }
        throw new AssertionError("nothing is stored under " + plural + "/" + name);
    }

    @Test
    void aDefinitionTakesItsObjectsWithIt() {
        String namespace = SERVER.namespace();
        establish(admin, definition("ties", "Tie", ANY, ""));
        String ties = "/apis/example.com/v1/namespaces/" + namespace + "/ties";
        admin.create(ties, "{'metadata':{'name':'one'}}");
        admin.create(ties, "{'metadata':{'name':'held','finalizers':['example.com/hold']}}");
        try (Events events = admin.watch(ties + "?watch=true&resourceVersion=0")) {
            assertThat(List.of(events.shown(), events.shown())).containsExactlyInAnyOrder("ADDED one", "ADDED held");
            Reply marked = admin.delete(DEFINITIONS + "/ties.example.com").is(200);
            assertThat(marked.at("/metadata/finalizers/0").asText())
                    .isEqualTo("customresourcecleanup.apiextensions.k8s.io");
            assertThat(condition(marked.body(), "Terminating")).isEqualTo("True");
            DefinedResources.await(
                    admin,
                    "ties.example.com",
                    body -> conditionOf(body, "Terminating")
                            .path("reason")
                            .asText()
                            .equals("InstanceDeletionInProgress"));
            assertThat(List.of(events.shown(), events.shown()))
                    .containsExactlyInAnyOrder("DELETED one", "MODIFIED held");
            assertThat(admin.post(ties, "{'metadata':{'name':'late'}}").is(405).message())
                    .isEqualTo("create not allowed while custom resource definition is terminating");
            admin.patch(ties + "/held", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                    .is(200);
            assertThat(events.shown()).isEqualTo("DELETED held");
            awaitGone(admin, "ties.example.com");
            assertThat(events.shown()).isEqualTo("END");
        }
        admin.get(ties).is(404);
        establish(admin, definition("ties", "Tie", ANY, ""));
        assertThat(admin.get(ties).names()).isEmpty();
    }

    @Test
    void everythingIsThereAfterARestart() throws Exception {
        String namespace = SERVER.namespace();
        establish(
                admin,
                definition("gloves", "Glove", spec("{'a':{'type':'string'},'n':{'type':'integer','default':1}}"), ""));
        String gloves = "/apis/example.com/v1/namespaces/" + namespace + "/gloves";
        String version = admin.create(gloves, "{'metadata':{'name':'g'},'spec':{'a':'x'}}")
                .version();
        SERVER.restart();
        admin = SERVER.admin();
        Reply found = admin.get(gloves + "/g").is(200);
        assertThat(found.version()).isEqualTo(version);
        assertThat(found.at("/spec").toString()).isEqualTo("{\"a\":\"x\",\"n\":1}");
    }
}
