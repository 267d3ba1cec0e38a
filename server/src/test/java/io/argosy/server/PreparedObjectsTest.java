package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server makes of objects of the smaller kinds before it keeps them, and what of them it refuses to change. */
class PreparedObjectsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private JsonNode patched(String path, String patch) {
        return admin.patch(path, TestClient.MERGE_PATCH, patch).is(200).at("");
    }

    @Test
    void aNamespaceMayBeginWithMoreFinalizersThanItsOwn() {
        String made = "{'metadata':{'name':'%s'},'spec':{'finalizers':[%s]}}";
        assertThat(admin.create("/api/v1/namespaces", made.formatted("kept", "'example.com/a'"))
                        .at("/spec/finalizers"))
                .hasToString("[\"example.com/a\",\"kubernetes\"]");
        assertThat(admin.create("/api/v1/namespaces", made.formatted("plain", ""))
                        .at("/spec/finalizers"))
                .hasToString("[\"kubernetes\"]");
        assertThat(admin.post("/api/v1/namespaces", made.formatted("odd", "'mine'"))
                        .causes())
                .containsExactly(
                        "spec.finalizers: Invalid value: \"mine\": name is neither a standard finalizer name nor"
                                + " is it fully qualified");
        assertThat(admin.post("/api/v1/namespaces", "{'metadata':{'name':'a.b'}}")
                        .causes())
                .containsExactly("metadata.name: Invalid value: \"a.b\": must not contain dots");
    }

    @Test
    void theSecretsOfAnAccountAreKnownByNameAlone() {
        String accounts = "/api/v1/namespaces/" + namespace + "/serviceaccounts";
        assertThat(admin.create(
                                accounts,
                                "{'metadata':{'name':'a'},'secrets':[{'kind':'Secret','name':'s','namespace':'other'}]}")
                        .at("/secrets"))
                .hasToString("[{\"name\":\"s\"}]");
        assertThat(patched(accounts + "/a", "{'secrets':[{'name':'t','uid':'u'}]}")
                        .path("secrets"))
                .hasToString("[{\"name\":\"t\"}]");
    }

    @Test
    void nobodyCoordinatesLeases() {
        String leases = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
        assertThat(admin.create(
                                leases,
                                "{'metadata':{'name':'l'},'spec':{'holderIdentity':'h','preferredHolder':'p',"
                                        + "'strategy':'OldestEmulationVersion'}}")
                        .at("/spec"))
                .hasToString("{\"holderIdentity\":\"h\"}");
        assertThat(patched(leases + "/l", "{'spec':{'preferredHolder':'p'}}").path("spec"))
                .hasToString("{\"holderIdentity\":\"h\"}");
    }

    @Test
    void theGenerationOfAPriorityClassIsTheFirst() {
        String classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
        assertThat(admin.create(classes, "{'metadata':{'name':'p'},'value':1}")
                        .at("/metadata/generation")
                        .asInt())
                .isEqualTo(1);
        assertThat(patched(classes + "/p", "{'description':'d'}")
                        .at("/metadata/generation")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void aBudgetIsNamedAsAPathAllows() {
        String budgets = "/apis/policy/v1/namespaces/" + namespace + "/poddisruptionbudgets";
        admin.create(budgets, "{'metadata':{'name':'A_b','finalizers':['mine']},'spec':{'minAvailable':1}}");
        assertThat(admin.post(budgets, "{'metadata':{'name':'c'},'spec':{'unhealthyPodEvictionPolicy':''}}")
                        .causes())
                .containsExactly("spec.unhealthyPodEvictionPolicy: Unsupported value: \"\": supported values:"
                        + " \"AlwaysAllow\", \"IfHealthyBudget\"");
    }

    @Test
    void aRevisionThatLosesItsDataIsChangedAndNothingElse() {
        String revisions = "/apis/apps/v1/namespaces/" + namespace + "/controllerrevisions";
        admin.create(revisions, "{'metadata':{'name':'r'},'revision':1,'data':{'a':1}}");
        assertThat(admin.patch(revisions + "/r", TestClient.MERGE_PATCH, "{'data':null}")
                        .causes())
                .singleElement()
                .asString()
                .endsWith("field is immutable");
    }

    @Test
    void aRuntimeClassToleratesNothingTwice() {
        String toleration = "{'key':'a','operator':'Exists','effect':'NoExecute','tolerationSeconds':%d}";
        String body = "{'metadata':{'name':'t'},'handler':'h','scheduling':{'tolerations':[" + toleration.formatted(1)
                + "," + toleration.formatted(2) + "]}}";
        assertThat(admin.post("/apis/node.k8s.io/v1/runtimeclasses", body).causes())
                .singleElement()
                .asString()
                .startsWith("scheduling.tolerations[1]: Duplicate value: {");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        ..a/b | data[..a/b]: Invalid value: "..a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+') ; data[..a/b]: Invalid value: "..a/b": must not start with '..'
        .. | data[..]: Invalid value: "..": must not be '..'
        """)
    void allThatIsWrongWithAKeyIsSaid(String key, String causes) {
        assertThat(admin.post(
                                "/api/v1/namespaces/" + namespace + "/configmaps",
                                "{'metadata':{'name':'m'},'data':{'" + key + "':'v'}}")
                        .causes())
                .containsExactly(causes.split(" ; "));
        String longest = "k".repeat(254);
        assertThat(admin.post(
                                "/api/v1/namespaces/" + namespace + "/configmaps",
                                "{'metadata':{'name':'m'},'data':{'" + longest + "':'v'}}")
                        .causes())
                .containsExactly("data[" + longest + "]: Invalid value: \"" + longest
                        + "\": must be no more than 253 characters");
    }
}
