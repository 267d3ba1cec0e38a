package io.argosy.server.policy;

import static io.argosy.server.policy.Policies.VALIDATING;
import static io.argosy.server.policy.Policies.validation;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.registry.WriteOptions;
import java.net.http.HttpClient.Version;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Policies that judge objects. */
class ValidatingPolicyTest {
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

    private Reply map(String value) {
        return admin.post(maps, "{'metadata':{'generateName':'m-'},'data':{'size':'" + value + "'}}");
    }

    @Test
    void whatDoesNotHoldIsRefusedInTheWordsOfThePolicy() {
        ObjectNode spec = validation("int(object.data.size) <= 5");
        policies.validating("plain", spec);
        map("5").is(201);
        Reply refused = map("6").is(422);
        assertThat(refused.reason()).isEqualTo("Invalid");
        assertThat(refused.message())
                .startsWith("configmaps \"m-")
                .endsWith("\" is forbidden: ValidatingAdmissionPolicy 'plain' with binding 'plain' denied request:"
                        + " failed expression: int(object.data.size) <= 5");
        policies.close();

        ((ObjectNode) spec.at("/validations/0")).put("message", "too large").put("reason", "Forbidden");
        policies.validating("worded", spec);
        assertThat(map("6").is(403).message()).endsWith("denied request: too large");
        policies.close();

        ((ObjectNode) spec.at("/validations/0"))
                .put("messageExpression", "'too large by ' + string(int(object.data.size) - 5)");
        policies.validating("computed", spec);
        assertThat(map("8").is(403).message()).endsWith("denied request: too large by 3");
    }

    @Test
    void updatesAndDeletionsAreJudgedWithWhatWasThereBefore() {
        Reply made = map("3").is(201);
        ObjectNode spec =
                validation("request.operation != 'UPDATE' || int(object.data.size) >= int(oldObject.data.size)");
        spec.withArray("validations")
                .addObject()
                .put("expression", "request.operation != 'DELETE' || oldObject.data.size != '4'");
        policies.validating("growing", spec);
        String path = maps + "/" + made.name();
        admin.patch(path, TestClient.MERGE_PATCH, "{'data':{'size':'2'}}").is(422);
        admin.patch(path, TestClient.MERGE_PATCH, "{'data':{'size':'4'}}").is(200);
        admin.delete(path).is(422);
        admin.patch(path, TestClient.MERGE_PATCH, "{'data':{'size':'5'}}").is(200);
        admin.delete(path).is(200);
    }

    @Test
    void variablesAreWorkedOutWhenUsedAndSeeThoseBefore() {
        ObjectNode spec = validation("variables.double < 10");
        spec.putArray("variables").addObject().put("name", "size").put("expression", "int(object.data.size)");
        spec.withArray("variables").addObject().put("name", "double").put("expression", "variables.size * 2");
        spec.withArray("variables").addObject().put("name", "broken").put("expression", "object.nothing.there");
        policies.validating("variables", spec);
        map("4").is(201);
        map("5").is(422);
        assertThat(map("x").is(422).message()).contains("composited variable \"size\" fails to evaluate: ");
    }

    @Test
    void whatElseIsKnownOfTheUserIsAskedForWithoutKnowingThatItIsThere() {
        policies.validating("extra", validation("request.?userInfo.extra[?'team'][0].orValue('none') == 'blue'"));
        map("1").is(422);
        for (String team : List.of("blue", "red")) {
            admin.post(
                            maps,
                            "{'metadata':{'generateName':'m-'}}",
                            "Impersonate-User",
                            "jane",
                            "Impersonate-Group",
                            User.MASTERS,
                            "Impersonate-Extra-team",
                            team)
                    .is(team.equals("blue") ? 201 : 422);
        }
    }

    @Test
    void theNamespaceAndWhatTheUserMayDoAreKnown() throws Exception {
        admin.patch("/api/v1/namespaces/" + name, TestClient.MERGE_PATCH, "{'metadata':{'labels':{'limit':'7'}}}");
        ObjectNode spec = validation("int(object.data.size) <= int(namespaceObject.metadata.labels.limit)");
        spec.withArray("validations")
                .addObject()
                .put(
                        "expression",
                        "request.userInfo.username == 'admin' || authorizer.group('').resource('secrets')"
                                + ".namespace(request.namespace).check('get').allowed()");
        spec.withArray("validations")
                .addObject()
                .put("expression", "authorizer.requestResource.check('create').allowed()");
        policies.validating("known", spec);
        map("7").is(201);
        map("8").is(422);
        admin.create(
                "/apis/rbac.authorization.k8s.io/v1/namespaces/" + name + "/roles",
                "{'metadata':{'name':'maps'},'rules':[{'apiGroups':[''],'resources':['configmaps'],'verbs':['*']}]}");
        admin.create(
                "/apis/rbac.authorization.k8s.io/v1/namespaces/" + name + "/rolebindings",
                "{'metadata':{'name':'maps'},'roleRef':{'kind':'Role','name':'maps'},'subjects':[{'kind':'User',"
                        + "'name':'jane'}]}");
        TestClient jane = SERVER.client("CN=jane", Version.HTTP_1_1);
        assertThat(jane.post(maps, "{'metadata':{'name':'j'},'data':{'size':'1'}}")
                        .is(422)
                        .message())
                .contains("authorizer.group('').resource('secrets')");
    }

    @Test
    void parametersSetAPolicy() {
        ObjectNode spec = validation("int(object.data.size) <= int(params.data.max)");
        spec.putObject("paramKind").put("apiVersion", "v1").put("kind", "ConfigMap");
        // the policy is not about its own parameters
        spec.putArray("matchConditions")
                .addObject()
                .put("name", "no-limits")
                .put("expression", "!has(object.metadata.labels) || !('limit' in object.metadata.labels)");
        policies.define(VALIDATING, "limits", spec).is(201);
        policies.bind(VALIDATING, "by-name", "limits", "{'name':'limit','parameterNotFoundAction':'Deny'}");
        assertThat(map("1").is(422).message())
                .endsWith("denied request: failed to configure binding: no params found for policy binding with `Deny`"
                        + " parameterNotFoundAction");
        policies.close();

        policies.define(VALIDATING, "limits", spec).is(201);
        policies.bind(VALIDATING, "by-name", "limits", "{'name':'limit','parameterNotFoundAction':'Allow'}");
        map("1").is(201);
        admin.create(maps, "{'metadata':{'name':'limit','labels':{'limit':'soft'}},'data':{'max':'5'}}");
        map("5").is(201);
        map("6").is(422);
        policies.close();

        admin.create(maps, "{'metadata':{'name':'hard','labels':{'limit':'hard'}},'data':{'max':'3'}}");
        policies.define(VALIDATING, "limits", spec).is(201);
        policies.bind(
                VALIDATING,
                "by-label",
                "limits",
                "{'selector':{'matchExpressions':[{'key':'limit','operator':'Exists'}]},'parameterNotFoundAction':'Deny'}");
        map("3").is(201);
        map("4").is(422);
    }

    @Test
    void aBindingMayWarnAndRecordInsteadOfRefusing() {
        ObjectNode spec = validation("object.data.size == '1'");
        ((ObjectNode) spec.at("/validations/0")).put("message", "not one");
        spec.putArray("auditAnnotations").addObject().put("key", "size").put("valueExpression", "object.data.size");
        policies.validating("soft", spec, "Warn", "Audit");
        Reply made = map("2").is(201);
        assertThat(made.headers().allValues("warning"))
                .containsExactly(
                        "299 - \"Validation failed for ValidatingAdmissionPolicy 'soft' with binding 'soft': not"
                                + " one\"");

        Map<String, String> annotations = new TreeMap<>();
        WriteOptions options = new WriteOptions(
                new User("jane", List.of()),
                false,
                warning -> {},
                annotations::put,
                new WriteOptions.Writer("test", "v1", false, false));
        ObjectNode object = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
        object.putObject("metadata").put("name", "direct");
        object.putObject("data").put("size", "9");
        SERVER.server().registry().store("", "configmaps").create(name, object, options);
        assertThat(annotations)
                .containsEntry("soft/size", "9")
                .containsEntry(
                        "validation.policy.admission.k8s.io/validation_failure",
                        "[{\"message\":\"not one\",\"policy\":\"soft\",\"binding\":\"soft\",\"expressionIndex\":0,"
                                + "\"validationActions\":[\"Warn\",\"Audit\"]}]");
    }

    @Test
    void whatFailsCountsAsTheFailurePolicySays() {
        ObjectNode spec = validation("object.data.missing == 'x'");
        policies.validating("strict", spec);
        assertThat(map("1").is(422).message())
                .contains("denied request: expression 'object.data.missing == 'x'' resulted in error: ");
        policies.close();
        policies.validating("lenient", spec.put("failurePolicy", "Ignore"));
        map("1").is(201);
    }

    @Test
    void anExpressionThatReadsALargeTextOverAndOverIsEnded() {
        policies.validating(
                "whirl", Policies.validation("object.data.all(k, !object.data.blob.matches('(x+)+(y+)+z'))"));
        StringBuilder keys = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            keys.append(",'k").append(i).append("':'v'");
        }
        Reply refused = admin.post(
                        maps, "{'metadata':{'name':'m'},'data':{'blob':'" + "x".repeat(900_000) + "'" + keys + "}}")
                .is(422);
        assertThat(refused.message()).contains("actual cost limit exceeded");
    }

    @Test
    void aPolicyWithoutABindingDoesNothing() {
        policies.define(VALIDATING, "unbound", validation("false")).is(201);
        map("1").is(201);
        policies.bind(VALIDATING, "bound", "unbound", "");
        map("1").is(422);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "object.data.size | 1 + 1 | spec.validations[0].expression: Invalid value: \"1 + 1\": must evaluate to bool but got int",
                "variables | variables.nope == 1 | undefined field 'nope'",
                "params | params.x == 1 | undeclared reference to 'params'",
                "syntax | object. | spec.validations[0].expression: Invalid value: \"object.\": compilation failed: ",
            })
    void expressionsMustCompile(String what, String expression, String message) {
        Reply refused =
                policies.define(VALIDATING, "bad", validation(expression)).is(422);
        assertThat(refused.message()).as(what).contains(message);
    }

    @Test
    void expressionsAreCheckedAgainstTheKindsThePolicyNames() {
        ObjectNode spec = Policies.spec("deployments");
        spec.putArray("validations").addObject().put("expression", "object.spec.replicas > 1");
        spec.withArray("validations").addObject().put("expression", "object.replicas > 1");
        spec.withArray("validations").addObject().put("expression", "object.spec.replicas > '1'");
        policies.define(VALIDATING, "checked", spec).is(201);
        try (TestClient.Events events = admin.watch(VALIDATING + "?watch=true&fieldSelector=metadata.name=checked")) {
            JsonNode event = events.next();
            while (event.at("/object/status/observedGeneration").asInt() != 1) {
                assertThat(event.isMissingNode()).as("the watch goes on").isFalse();
                event = events.next();
            }
        }
        JsonNode warnings = admin.get(VALIDATING + "/checked").at("/status/typeChecking/expressionWarnings");
        assertThat(warnings).hasSize(2);
        assertThat(warnings.at("/0/fieldRef").asText()).isEqualTo("spec.validations[1].expression");
        assertThat(warnings.at("/0/warning").asText())
                .startsWith("apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'");
        assertThat(warnings.at("/1/warning").asText()).contains("found no matching overload for '_>_'");
    }

    @Test
    void policiesAndBindingsMustBeComplete() {
        assertThat(policies.define(VALIDATING, "empty", Json.object()).is(422).message())
                .contains("spec.matchConstraints: Required value")
                .contains("spec.validations: Required value: validations or auditAnnotations must contain at least one"
                        + " item");
        String bindings = VALIDATING.replace("policies", "policybindings");
        assertThat(admin.post(
                                bindings,
                                "{'metadata':{'name':'b'},'spec':{'policyName':'p','validationActions':['Deny',"
                                        + "'Warn'],'paramRef':{},'matchResources':{'matchPolicy':'Odd'}}}")
                        .causes())
                .containsExactly(
                        "spec.paramRef: Required value: one of name or selector must be specified",
                        "spec.paramRef.parameterNotFoundAction: Required value",
                        "spec.matchResources.matchPolicy: Unsupported value: \"Odd\": supported values: \"Equivalent\","
                                + " \"Exact\"",
                        "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn"
                                + " (repeating the same validation failure information in the API response and headers serves"
                                + " no purpose)");
        ObjectNode odd = validation("true").put("failurePolicy", "");
        odd.withObject("/validations/0").put("message", "a\rb").put("messageExpression", " ");
        assertThat(policies.define(VALIDATING, "odd", odd).causes())
                .containsExactly(
                        "spec.failurePolicy: Unsupported value: \"\": supported values: \"Fail\", \"Ignore\"",
                        "spec.validations[0].messageExpression: Invalid value: \" \": must be non-empty if specified",
                        "spec.validations[0].message: Invalid value: \"a\\rb\": must not contain line breaks");
    }

    @Test
    void warningsInTheStatusSayWhatAndWhere() {
        policies.define(VALIDATING, "told", validation("true")).is(201);
        assertThat(admin.patch(
                                VALIDATING + "/told/status",
                                TestClient.MERGE_PATCH,
                                "{'status':{'typeChecking':{'expressionWarnings':[{'warning':'','fieldRef':' '}]}}}")
                        .causes())
                .containsExactly(
                        "status.typeChecking.expressionWarnings[0].warning: Required value",
                        "status.typeChecking.expressionWarnings[0].fieldRef: Required value");
    }

    @Test
    void whoMayNotReadParametersLetsNoPolicyReadThem() throws Exception {
        String rbac = "/apis/rbac.authorization.k8s.io/v1/";
        admin.create(
                rbac + "clusterroles",
                "{'metadata':{'name':'policies'},'rules':[{'apiGroups':['admissionregistration.k8s.io'],"
                        + "'resources':['*'],'verbs':['*']},{'apiGroups':[''],'resources':['configmaps'],'verbs':['get']}]}");
        admin.create(
                rbac + "clusterrolebindings",
                "{'metadata':{'name':'policies'},'roleRef':{'kind':'ClusterRole','name':'policies'},'subjects':["
                        + "{'kind':'User','name':'pat'}]}");
        TestClient pat = SERVER.client("CN=pat", Version.HTTP_1_1);
        try (Policies own = new Policies(pat, name)) {
            ObjectNode spec = validation("true");
            spec.putObject("paramKind").put("apiVersion", "v1").put("kind", "Secret");
            assertThat(own.define(VALIDATING, "of-secrets", spec).causes())
                    .containsExactly(
                            "spec.paramKind: Forbidden: user pat must have \"get\" permission on all objects of"
                                    + " the referenced paramKind (kind=Secret, apiVersion=v1)");
            spec.withObject("/paramKind").put("kind", "ConfigMap");
            own.define(VALIDATING, "of-maps", spec).is(201);
            own.bind(VALIDATING, "one", "of-maps", "{'name':'a','parameterNotFoundAction':'Allow'}");
            String binding = "{'metadata':{'name':'%s'},'spec':{'policyName':'%s','validationActions':['Deny'],"
                    + "'paramRef':{'selector':{},'parameterNotFoundAction':'Allow'}}}";
            String bindings = VALIDATING.replace("policies", "policybindings");
            assertThat(pat.post(bindings, binding.formatted("all", "of-maps")).causes())
                    .containsExactly(
                            "spec.paramRef: Forbidden: user pat does not have \"list\" permission on the object"
                                    + " referenced by paramRef");
            assertThat(pat.post(bindings, binding.formatted("none", "nowhere")).causes())
                    .containsExactly(
                            "spec.paramRef: Forbidden: unable to get policy nowhere to determine minimum required"
                                    + " permissions and user pat does not have \"list\" permission for all groups, versions and"
                                    + " resources");
        }
    }
}
