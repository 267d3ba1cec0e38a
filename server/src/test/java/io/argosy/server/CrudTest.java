package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient.Reply;
import java.net.http.HttpClient.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Create, read, update: identity, versions and who wins. */
class CrudTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String maps;

    @BeforeAll
    static void namespace() {
        admin = SERVER.admin();
        maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void objectsAreCreatedReadChangedAndDeletedOverBothProtocols(Version version) throws Exception {
        if (version.name().equals("HTTP_3")) {
            return;
        }
        TestClient client = SERVER.client(TestServer.ADMIN, version);
        String name =
                "life-" + version.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        Reply created = client.create(maps, "{'metadata':{'name':'" + name + "'},'data':{'k':'v'}}");
        assertThat(created.at("/kind").asText()).isEqualTo("ConfigMap");
        assertThat(created.at("/apiVersion").asText()).isEqualTo("v1");
        assertThat(created.at("/metadata/uid").asText()).hasSize(36);
        assertThat(created.at("/metadata/creationTimestamp").asText()).matches("....-..-..T..:..:..Z");
        assertThat(client.get(maps + "/" + name).is(200).body()).isEqualTo(created.body());

        ObjectNode changed = created.body().deepCopy();
        ((ObjectNode) changed.get("data")).put("k", "w");
        Reply updated = client.put(maps + "/" + name, changed).is(200);
        assertThat(updated.at("/data/k").asText()).isEqualTo("w");
        assertThat(Long.parseLong(updated.version())).isGreaterThan(Long.parseLong(created.version()));
        assertThat(updated.at("/metadata/uid")).isEqualTo(created.at("/metadata/uid"));

        Reply deleted = client.delete(maps + "/" + name).is(200);
        assertThat(deleted.at("/status").asText()).isEqualTo("Success");
        assertThat(deleted.at("/details/uid")).isEqualTo(created.at("/metadata/uid"));
        Reply gone = client.get(maps + "/" + name).is(404);
        assertThat(gone.message()).isEqualTo("configmaps \"" + name + "\" not found");
        assertThat(gone.reason()).isEqualTo("NotFound");
    }

    @Test
    void aStaleUpdateIsAConflict() {
        Reply first = admin.create(maps, "{'metadata':{'name':'stale'}}");
        ObjectNode mine = first.body().deepCopy();
        ObjectNode theirs = first.body().deepCopy();
        theirs.putObject("data").put("who", "they");
        mine.putObject("data").put("who", "I");
        admin.put(maps + "/stale", theirs).is(200);
        Reply refused = admin.put(maps + "/stale", mine).is(409);
        assertThat(refused.reason()).isEqualTo("Conflict");
        assertThat(refused.message())
                .isEqualTo("Operation cannot be fulfilled on configmaps \"stale\": the object has been modified; please"
                        + " apply your changes to the latest version and try again");
    }

    /** Manifests often name a namespace on everything they hold. */
    @Test
    void whatIsOfNoNamespaceMayNameOneAllTheSame() {
        String roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        Reply made = admin.create(roles, "{'metadata':{'name':'wide','namespace':'elsewhere'},'rules':[]}");
        assertThat(made.at("/metadata").has("namespace")).isFalse();
        Reply changed = admin.put(
                roles + "/wide", "{'metadata':{'name':'wide','namespace':'elsewhere','labels':{'a':'b'}},'rules':[]}");
        assertThat(changed.is(200).at("/metadata").has("namespace")).isFalse();
        admin.delete(roles + "/wide").is(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"'kind':'ConfigMap',", "'apiVersion':'v1',", ""})
    void whatThePathSaysNeedNotBeSaidAgain(String said) {
        Reply made = admin.post(maps + "?dryRun=All", "{" + said + "'metadata':{'name':'brief'}}");
        assertThat(made.is(201).at("/kind").asText()).isEqualTo("ConfigMap");
        assertThat(made.at("/apiVersion").asText()).isEqualTo("v1");
    }

    @Test
    void aPatchDoesNotMoveAnObject() {
        admin.create(maps, "{'metadata':{'name':'stays'}}");
        assertThat(admin.patch(maps + "/stays", TestClient.MERGE_PATCH, "{'metadata':{'namespace':'elsewhere'}}")
                        .is(400)
                        .message())
                .isEqualTo("the namespace of the provided object does not match the namespace sent on the request");
    }

    @Test
    void anUpdateWithoutVersionWinsAndOneThatChangesNothingTakesNoRevision() {
        Reply first = admin.create(maps, "{'metadata':{'name':'free'},'data':{'a':'1','b':'2'}}");
        Reply second = admin.put(maps + "/free", "{'metadata':{'name':'free'},'data':{'a':'2'}}")
                .is(200);
        assertThat(second.version()).isNotEqualTo(first.version());
        Reply third = admin.put(maps + "/free", "{'data':{'a':'2'},'metadata':{'name':'free'}}")
                .is(200);
        assertThat(third.version()).isEqualTo(second.version());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata':{'name':'other'}} | 400 | does not match the name on the URL",
                "{'metadata':{'name':'x','namespace':'elsewhere'}} | 400 | does not match the namespace sent on the"
                        + " request",
                "{'metadata':{}} | 400 | name must be provided",
                "{'metadata':{'name':'x','uid':'00000000-0000-0000-0000-000000000000'}} | 409 | UID in precondition",
                "{'metadata':{'name':'x','resourceVersion':'1'}} | 409 | the object has been modified",
                "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'x'}} | 400 | cannot be handled as a ConfigMap",
                "{'kind':'ConfigMap','apiVersion':'v2','metadata':{'name':'x'}} | 400 | does not match the expected"
                        + " API version",
            })
    void updatesThatDoNotFitAreRefused(String body, int status, String message) {
        admin.post(maps, "{'metadata':{'name':'x'}}");
        assertThat(admin.put(maps + "/x", body.strip()).is(status).message()).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'metadata':{'name':'dup'}} | 409 | configmaps \"dup\" already exists",
                "{'metadata':{'name':'n','resourceVersion':'5'}} | 400 | resourceVersion should not be set on objects"
                        + " to be created",
                "{'metadata':{}} | 422 | name or generateName is required",
                "{'metadata':{'name':'Big'}} | 422 | a lowercase RFC 1123 subdomain must consist of",
                "{'metadata':{'name':'n','labels':{'a b':'c'}}} | 422 | metadata.labels: Invalid value: \"a b\"",
                "{'metadata':{'name':'n','labels':{'a':'-'}}} | 422 | a valid label must be an empty string or consist"
                        + " of",
                "{'metadata':{'name':'n','namespace':'other'}} | 400 | does not match the namespace sent on the"
                        + " request",
                "{'metadata':{'name':'n'},'data':{'a/b':'c'}} | 422 | a valid config key must consist of",
                "{'metadata':{'name':'n','finalizers':['x y']}} | 422 | metadata.finalizers",
                "{'metadata':{'name':'n','ownerReferences':[{'kind':'Pod'}]}} | 422 | metadata.ownerReferences.uid:"
                        + " Invalid value: \"\": must not be empty",
                "{'metadata':{'name':'n','ownerReferences':[{'kind':'Pod','name':'p','uid':'u'}]}} | 422 |"
                        + " metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty",
                "{'metadata':{'name':'n','ownerReferences':[{'apiVersion':'v1','kind':'Event','name':'p','uid':'u'}]}}"
                        + " | 422 | /v1, Kind=Event is disallowed from being an owner",
                "{'metadata':{'name':'n','ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p','uid':'u','controller':true},{'apiVersion':'v1','kind':'Pod','name':'q','uid':'v','controller':true}]}}"
                        + " | 422 | Only one reference can have Controller set to true. Found \"true\" in references for"
                        + " Pod/p and Pod/q",
                "{'metadata':{'name':'n','finalizers':['orphan','foregroundDeletion']}} | 422 | metadata.finalizers:"
                        + " Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion"
                        + " cannot be both set",
                "{'metadata':{'generateName':'Big-'}} | 422 | metadata.generateName: Invalid value: \"Big-\": a"
                        + " lowercase RFC 1123 subdomain must consist of",
            })
    void creationsThatDoNotFitAreRefused(String body, int status, String message) {
        admin.post(maps, "{'metadata':{'name':'dup'}}");
        assertThat(admin.post(maps, body.strip()).is(status).message()).contains(message);
    }

    @Test
    void whatOnlyTheServerSetsIsNotTakenFromTheClient() {
        Reply created = admin.create(
                maps,
                "{'metadata':{'name':'liar','uid':'mine','creationTimestamp':'2001-01-01T00:00:00Z',"
                        + "'deletionTimestamp':'2001-01-01T00:00:00Z','generation':7,'selfLink':'/x'}}");
        assertThat(created.at("/metadata/uid").asText()).isNotEqualTo("mine");
        assertThat(created.at("/metadata/creationTimestamp").asText()).isNotEqualTo("2001-01-01T00:00:00Z");
        assertThat(created.at("/metadata/deletionTimestamp").isMissingNode()).isTrue();
        assertThat(created.at("/metadata/generation").isMissingNode()).isTrue();
        Reply updated = admin.put(
                        maps + "/liar",
                        "{'metadata':{'name':'liar','creationTimestamp':'2001-01-01T00:00:00Z'},'data':{'a':'b'}}")
                .is(200);
        assertThat(updated.at("/metadata/creationTimestamp")).isEqualTo(created.at("/metadata/creationTimestamp"));
    }

    @Test
    void generatedNamesBeginWithTheirBaseAndAreNotRepeated() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Reply created = admin.create(maps, "{'metadata':{'generateName':'gen-'}}");
            assertThat(created.name()).matches("gen-[bcdfghjklmnpqrstvwxz2456789]{5}");
            assertThat(created.at("/metadata/generateName").asText()).isEqualTo("gen-");
            assertThat(names.add(created.name())).isTrue();
        }
    }

    @Test
    void aPutThatMakesAnObjectGoesByItsIdentityNotByItsVersion() {
        String endpoints = maps.replace("/configmaps", "/endpoints");
        admin.put(endpoints + "/new", "{'metadata':{'name':'new','resourceVersion':'1'}}")
                .is(201);
        Reply gone = admin.put(endpoints + "/gone", "{'metadata':{'name':'gone','uid':'u'}}")
                .is(409);
        assertThat(gone.message()).contains("Precondition failed: UID in precondition: u, UID in object meta: ");
        admin.put(maps + "/not-there", "{'metadata':{'name':'not-there'}}").is(404);
    }

    @Test
    void ofThoseWhoPutWhatIsNotThereOneMakesItAndTheOthersChangeIt() throws Exception {
        String endpoints = maps.replace("/configmaps", "/endpoints");
        try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
            for (int round = 0; round < 10; round++) {
                String name = "raced-" + round;
                List<Callable<Integer>> writers = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    String body = "{'metadata':{'name':'" + name + "','labels':{'by':'w" + i + "'}}}";
                    writers.add(() -> admin.put(endpoints + "/" + name, body).status());
                }
                List<Integer> statuses = new ArrayList<>();
                for (Future<Integer> writer : pool.invokeAll(writers)) {
                    statuses.add(writer.get());
                }
                assertThat(statuses)
                        .containsOnlyOnce(201)
                        .hasSize(8)
                        .allMatch(status -> status == 200 || status == 201);
            }
        }
    }

    @Test
    void ofConcurrentWritersEachIsHeardOrToldOfTheConflict() throws Exception {
        admin.create(maps, "{'metadata':{'name':'counter'},'data':{'n':'0'}}");
        try (ExecutorService pool = Executors.newFixedThreadPool(8)) {
            List<Future<Integer>> writers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Callable<Integer> writer = () -> {
                    int conflicts = 0;
                    for (int done = 0; done < 10; ) {
                        Reply read = admin.get(maps + "/counter").is(200);
                        ObjectNode next = read.body().deepCopy();
                        int n = read.at("/data/n").asInt();
                        ((ObjectNode) next.get("data")).put("n", Integer.toString(n + 1));
                        Reply answer = admin.put(maps + "/counter", next);
                        if (answer.status() == 200) {
                            done++;
                        } else {
                            answer.is(409);
                            conflicts++;
                        }
                    }
                    return conflicts;
                };
                writers.add(pool.submit(writer));
            }
            for (Future<Integer> writer : writers) {
                writer.get();
            }
        }
        assertThat(admin.get(maps + "/counter").at("/data/n").asText()).isEqualTo("80");
    }

    @Test
    void objectsNeedTheirNamespace() {
        assertThat(admin.post("/api/v1/namespaces/nowhere/configmaps", "{'metadata':{'name':'a'}}")
                        .is(404)
                        .message())
                .isEqualTo("namespaces \"nowhere\" not found");
        String pod = "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}]}}";
        assertThat(admin.post("/api/v1/namespaces/nowhere/pods", pod).is(404).message())
                .isEqualTo("namespaces \"nowhere\" not found");
    }

    @Test
    void whatWasWrittenIsThereAfterARestart() throws Exception {
        Reply created = admin.create(maps, "{'metadata':{'name':'durable'},'data':{'k':'v'}}");
        SERVER.restart();
        admin = SERVER.admin();
        assertThat(admin.get(maps + "/durable").is(200).body()).isEqualTo(created.body());
    }
}
