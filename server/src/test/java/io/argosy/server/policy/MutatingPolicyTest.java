package io.argosy.server.policy;

import static io.argosy.server.policy.Policies.MUTATING;
import static io.argosy.server.policy.Policies.mutation;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Policies that change objects. */
class MutatingPolicyTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private Policies policies;
    private String name;
    private String maps;

    @BeforeEach
    void begin() {
        admin = SERVER.admin();
        name = SERVER.namespace();
        maps = "/api/v1/namespaces/" + name + "/configmaps";
        policies = new Policies(admin, name);
    }

    @AfterEach
    void end() {
        policies.close();
    }

    private Reply map() {
        return admin.post(maps, "{'metadata':{'generateName':'m-','labels':{'own':'1'}},'data':{'a':'b'}}");
    }

    @Test
    void anApplyConfigurationIsMergedByWhatIdentifiesElements() {
        policies.mutating("sidecar", mutation("pods", "ApplyConfiguration", """
            Object{
              metadata: Object.metadata{labels: {'injected': string(size(object.spec.containers))}},
              spec: Object.spec{
                initContainers: [
                  Object.spec.initContainers{name: 'proxy', image: 'haproxy', restartPolicy: 'Always'}
                ],
                containers: [Object.spec.containers{name: 'c', stdin: true}]
              }
            }\
            """));
        Reply pod = admin.create(
                "/api/v1/namespaces/" + name + "/pods",
                "{'metadata':{'name':'p','labels':{'own':'1'}},'spec':{'containers':[{'name':'c','image':'i'},"
                        + "{'name':'d','image':'i'}]}}");
        assertThat(pod.at("/metadata/labels").toString()).isEqualTo("{\"own\":\"1\",\"injected\":\"2\"}");
        assertThat(pod.at("/spec/initContainers/0/image").asText()).isEqualTo("haproxy");
        assertThat(pod.at("/spec/initContainers/0/imagePullPolicy").asText()).isEqualTo("Always");
        assertThat(pod.at("/spec/initContainers/0/volumeMounts")).hasSize(1);
        assertThat(pod.at("/spec/containers")).hasSize(2);
        assertThat(pod.at("/spec/containers/0/stdin").asBoolean()).isTrue();
        assertThat(pod.at("/spec/containers/0/image").asText()).isEqualTo("i");
    }

    @Test
    void aJsonPatchIsAppliedUnlessOneOfItsTestsFails() {
        policies.mutating(
                "patch",
                mutation(
                        "configmaps",
                        "JSONPatch",
                        "[JSONPatch{op: 'test', path: '/data/a', value: 'b'}, JSONPatch{op: 'add', path:"
                                + " '/metadata/labels/' + jsonpatch.escapeKey('example.com/by'), value: 'policy'}]"));
        assertThat(map().is(201).at("/metadata/labels/example.com~1by").asText())
                .isEqualTo("policy");
        Reply other = admin.create(maps, "{'metadata':{'name':'other'},'data':{'a':'c'}}");
        assertThat(other.at("/metadata/labels").isMissingNode()).isTrue();
    }

    @Test
    void policiesFollowOneAnotherAndAreAskedAgainIfTheyWant() {
        String mark = "Object{data: {'%s': string(size(object.data))}}";
        policies.mutating(
                "a",
                mutation("configmaps", "ApplyConfiguration", mark.formatted("x"))
                        .put("reinvocationPolicy", "IfNeeded"));
        policies.mutating("b", mutation("configmaps", "ApplyConfiguration", mark.formatted("y")));
        Reply made = map().is(201);
        assertThat(made.at("/data/y").asText()).isEqualTo("2");
        assertThat(made.at("/data/x").asText()).as("asked again after b").isEqualTo("3");
    }

    @Test
    void conditionsAndParametersAreHeeded() {
        admin.create(maps, "{'metadata':{'name':'settings'},'data':{'team':'blue'}}");
        ObjectNode spec = mutation(
                "configmaps",
                "ApplyConfiguration",
                "Object{metadata: Object.metadata{labels: {'team': params.data.team}}}");
        spec.putObject("paramKind").put("apiVersion", "v1").put("kind", "ConfigMap");
        spec.putArray("matchConditions")
                .addObject()
                .put("name", "own")
                .put("expression", "has(object.metadata.labels) && 'own' in object.metadata.labels");
        policies.define(MUTATING, "team", spec).is(201);
        policies.bind(MUTATING, "team", "team", "{'name':'settings','parameterNotFoundAction':'Deny'}");
        assertThat(map().is(201).at("/metadata/labels/team").asText()).isEqualTo("blue");
        assertThat(admin.create(maps, "{'metadata':{'name':'plain'}}")
                        .at("/metadata/labels")
                        .isMissingNode())
                .isTrue();
    }

    @Test
    void whatIsReplacedAsAWholeIsNotToBeMerged() {
        policies.mutating(
                "atomic",
                mutation(
                        "pods",
                        "ApplyConfiguration",
                        "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['x']}]}}"));
        Reply refused = admin.post(
                        "/api/v1/namespaces/" + name + "/pods",
                        "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}")
                .is(403);
        assertThat(refused.message())
                .isEqualTo("policy 'atomic' with binding 'atomic' denied request: error applying patch: invalid"
                        + " ApplyConfiguration: may not mutate atomic arrays, maps or structs:"
                        + " .spec.containers[0].args");
    }

    @Test
    void aResultThatIsNoSuchObjectCountsAsTheFailurePolicySays() {
        String deployments = "/apis/apps/v1/namespaces/" + name + "/deployments";
        String deployment = "{'metadata':{'generateName':'d-'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':"
                + "{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
        ObjectNode spec =
                mutation("deployments", "JSONPatch", "[JSONPatch{op: 'add', path: '/spec/replicas', value: 'many'}]");
        spec.withArray("/mutations")
                .addObject()
                .put("patchType", "JSONPatch")
                .putObject("jsonPatch")
                .put("expression", "[JSONPatch{op: 'replace', path: '/kind', value: 'Pod'}]");
        spec.withArray("/mutations")
                .addObject()
                .put("patchType", "ApplyConfiguration")
                .putObject("applyConfiguration")
                .put("expression", "Object{metadata: Object.metadata{labels: {'after': 'all'}}}");
        policies.mutating("strict", spec);
        Reply refused = admin.post(deployments, deployment).is(403);
        assertThat(refused.message()).startsWith("policy 'strict' with binding 'strict' denied request: ");
        assertThat(refused.at("/details/causes")).hasSize(2);
        assertThat(refused.at("/details/causes/1/message").asText()).contains("the kind of the object was changed");
        policies.close();
        policies.mutating("lenient", spec.put("failurePolicy", "Ignore"));
        Reply made = admin.post(deployments, deployment).is(201);
        assertThat(made.at("/metadata/labels/after").asText()).isEqualTo("all");
        assertThat(made.at("/spec/replicas").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ApplyConfiguration | Object{spec: Object.status{}} | type mismatch: unexpected type name"
                        + " \"Object.status\", expected \"Object.spec\"",
                "ApplyConfiguration | Pod{} | undeclared reference to 'Pod'",
                "JSONPatch | [JSONPatch{verb: 'add'}] | undefined field 'verb'",
                "Merge | Object{} | spec.mutations[0].patchType: Unsupported value: \"Merge\": supported values:"
                        + " \"ApplyConfiguration\", \"JSONPatch\"",
            })
    void mutationsMustMakeSense(String type, String expression, String message) {
        assertThat(policies.define(MUTATING, "bad", mutation("pods", type, expression))
                        .is(422)
                        .message())
                .contains(message);
    }

    @Test
    void aMutationHasTheOneFormThatItSays() {
        ObjectNode spec = mutation("pods", "JSONPatch", "[]");
        ObjectNode only = (ObjectNode) spec.path("mutations").get(0);
        only.set("applyConfiguration", only.remove("jsonPatch"));
        assertThat(policies.define(MUTATING, "bad", spec).causes())
                .containsExactlyInAnyOrder(
                        "spec.mutations[0].applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be"
                                + " specified when patchType is JSONPatch",
                        "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch");
    }

    @Test
    void whatIsDeletedCannotBeChanged() {
        ObjectNode spec = mutation("pods", "JSONPatch", "[]");
        spec.withArray("/matchConstraints/resourceRules/0/operations").add("DELETE");
        assertThat(policies.define(MUTATING, "bad", spec).causes())
                .containsExactly(
                        "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported"
                                + " values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a/b/c | Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
                "apps/ | Invalid value: \"apps/\": version must be specified",
                "Apps/v1 | Invalid value: \"Apps\": a lowercase RFC 1123 subdomain",
                "apps/1 | Invalid value: \"1\": a DNS-1035 label",
            })
    void parametersAreOfAKindThatThereCanBe(String version, String message) {
        ObjectNode spec = mutation("pods", "JSONPatch", "[]");
        spec.putObject("paramKind").put("apiVersion", version).put("kind", "K");
        assertThat(policies.define(MUTATING, "bad", spec).is(422).message())
                .contains("spec.paramKind.apiVersion: " + message);
    }
}
