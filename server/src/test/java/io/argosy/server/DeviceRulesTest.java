package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What drivers may say of devices, and others who want some. */
class DeviceRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String GROUP = "/apis/resource.k8s.io/v1/";
    private static final String SLICES = GROUP + "resourceslices";
    private static final String ONE = "{'name':'r','exactly':{'deviceClassName':'gpu'}}";

    private TestClient admin;
    private String claims;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        claims = GROUP + "namespaces/" + SERVER.namespace() + "/resourceclaims";
    }

    private Reply claim(String devices) {
        return admin.post(claims, "{'metadata':{'name':'c'},'spec':{'devices':{" + devices + "}}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'requests':[{'name':'r'}] | requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required
        'requests':[{'name':'R','exactly':{'deviceClassName':'gpu'}}] | requests[0].name: Invalid value: "R": a lowercase RFC 1123 label
        'requests':[{'name':'r','exactly':{}}] | requests[0].exactly.deviceClassName: Required value
        'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','allocationMode':'Odd'}}] | requests[0].exactly.allocationMode: Unsupported value: "Odd": supported values: "All", "ExactCount"
        'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','allocationMode':'All','count':1}}] | requests[0].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'
        'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','count':-1}}] | requests[0].exactly.count: Invalid value: -1: must be greater than zero
        'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','selectors':[{}]}}] | requests[0].exactly.selectors[0].cel: Required value
        'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','tolerations':[{'operator':'Exists','value':'v'}]}}] | requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`
        'requests':[ONE,ONE] | requests[1]: Duplicate value: "r"
        'requests':[ONE],'constraints':[{}] | constraints[0].matchAttribute: Required value
        'requests':[ONE],'constraints':[{'requests':['s'],'matchAttribute':'a.example.com/b'}] | constraints[0].requests[0]: Invalid value: "s": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'
        'requests':[ONE],'constraints':[{'matchAttribute':'b'}] | constraints[0].matchAttribute: Invalid value: "b": a fully qualified name must be a domain and a name separated by a slash
        'requests':[ONE],'config':[{}] | config[0].opaque: Required value
        'requests':[ONE],'config':[{'opaque':{'driver':'d.example.com'}}] | config[0].opaque.parameters: Required value
        """)
    void whatAClaimMayNotSay(String devices, String cause) {
        assertThat(claim(devices.replace("ONE", ONE)).causes())
                .singleElement()
                .asString()
                .startsWith("spec.devices." + cause);
    }

    /** A claim, whose first request has a selector of this expression. */
    private Reply selecting(String expression) {
        return claim("'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','selectors':[" + selector(expression)
                + "]}}]");
    }

    private static String selector(String expression) {
        return "{'cel':{'expression':'" + expression + "'}}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        ?!                                        | Invalid value: "?!": compilation failed: ERROR: <input>:1:1: Syntax error
        1                                         | Invalid value: "1": must evaluate to bool or the unknown type, not int
        device.driver                             | Invalid value: "device.driver": must evaluate to bool or the unknown type, not string
        device.color == 1                         | Invalid value: "device.color == 1": compilation failed: ERROR: <input>:1:7: undefined field 'color'
        device.allowMultipleAllocations           | Invalid value: "device.allowMultipleAllocations": compilation failed: ERROR: <input>:1:7: undefined field 'allowMultipleAllocations'
        self.x                                    | Invalid value: "self.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'self'
        [1,2,3,4,5].all(a,[1,2,3,4,5].all(b,[1,2,3,4,5].all(c,[1,2,3,4,5].all(d,[1,2,3,4,5].all(e,[1,2,3,4,5].all(f,[1,2,3,4,5].all(g,[1,2,3,4,5].all(h,true)))))))) | Forbidden: too complex, exceeds cost limit
        """)
    void whatAnExpressionMayNotBe(String expression, String cause) {
        assertThat(selecting(expression).causes())
                .singleElement()
                .asString()
                .startsWith("spec.devices.requests[0].exactly.selectors[0].cel.expression: " + cause);
    }

    @Test
    void anExpressionIsNotEmptyAndNotTooLong() {
        assertThat(selecting("").causes())
                .singleElement()
                .asString()
                .contains("cel.expression: Invalid value: \"\": compilation failed: ");
        assertThat(selecting("true" + " ".repeat(10 * 1024)).causes())
                .containsExactly("spec.devices.requests[0].exactly.selectors[0].cel.expression: Too long: may not be"
                        + " more than 10240 bytes");
    }

    @Test
    void expressionsOfAlternativesAndOfTemplatesAreCompiledToo() {
        String wrong = "'requests':[{'name':'r','firstAvailable':[{'name':'a','deviceClassName':'x','selectors':["
                + selector("true") + "," + selector("1") + "]}]}]";
        String cause = "devices.requests[0].firstAvailable[0].selectors[1].cel.expression: Invalid value: \"1\":"
                + " must evaluate to bool or the unknown type, not int";
        assertThat(claim(wrong).causes()).containsExactly("spec." + cause);
        assertThat(admin.post(
                                claims.replace("resourceclaims", "resourceclaimtemplates"),
                                "{'metadata':{'name':'t'},'spec':{'spec':{'devices':{" + wrong + "}}}}")
                        .causes())
                .containsExactly("spec.spec." + cause);
    }

    @Test
    void expressionsMayNameWhatTheyUseOften() {
        selecting("cel.bind(d, device.attributes, d.size() > 1 && d.size() < 9)")
                .is(201);
    }

    @Test
    void aClassIsHeldAgainstWhatItChanges() {
        String classes = GROUP + "deviceclasses";
        assertThat(admin.post(classes, "{'metadata':{'name':'k'},'spec':{'selectors':[" + selector("1") + "]}}")
                        .causes())
                .singleElement()
                .asString()
                .startsWith("spec.selectors[0].cel.expression: Invalid value: \"1\": must evaluate to bool");
        admin.create(classes, "{'metadata':{'name':'k'},'spec':{'selectors':[" + selector("true") + "]}}");
        String change = "{'metadata':{'labels':{'a':'b'}},'spec':{'selectors':[";
        admin.patch(classes + "/k", TestClient.MERGE_PATCH, change + selector("true") + "]}}")
                .is(200);
        assertThat(admin.patch(classes + "/k", TestClient.MERGE_PATCH, change + selector("device.x") + "]}}")
                        .causes())
                .singleElement()
                .asString()
                .contains("undefined field 'x'");
    }

    @Test
    void aClaimIsForOneDeviceIfItSaysNothingElseAndStaysSo() {
        Reply made = claim("'requests':[{'name':'r','firstAvailable':[{'name':'a','deviceClassName':'x'},"
                        + "{'name':'b','deviceClassName':'y','allocationMode':'All'}]}],"
                        + "'constraints':[{'requests':['r/b'],'matchAttribute':'a.example.com/b'}]")
                .is(201);
        assertThat(made.at("/spec/devices/requests/0/firstAvailable"))
                .hasToString(
                        "[{\"name\":\"a\",\"deviceClassName\":\"x\",\"allocationMode\":\"ExactCount\",\"count\":1},"
                                + "{\"name\":\"b\",\"deviceClassName\":\"y\",\"allocationMode\":\"All\"}]");
        assertThat(admin.patch(claims + "/c", TestClient.MERGE_PATCH, "{'spec':{'devices':{'requests':[" + ONE + "]}}}")
                        .causes())
                .anyMatch(cause -> cause.startsWith("spec: Invalid value: ") && cause.endsWith("field is immutable"));
    }

    @Test
    void devicesAreGivenOnceAndForThoseWhoAreNamed() {
        claim("'requests':[" + ONE + "]").is(201);
        String user = "{'resource':'pods','name':'p','uid':'u'}";
        assertThat(status("'reservedFor':[" + user + "]").causes())
                .containsExactly("status.reservedFor: Forbidden: may not be specified when `allocated` is not set");
        String result = "{'request':'r','driver':'d.example.com','pool':'n1','device':'gpu-0'}";
        assertThat(status("'allocation':{'devices':{'results':[" + result.replace("'r'", "'s'") + "]}}")
                        .causes())
                .singleElement()
                .asString()
                .startsWith("status.allocation.devices.results[0].request: Invalid value: \"s\"");
        status("'allocation':{'devices':{'results':[" + result + "]}},'reservedFor':[" + user + "]")
                .is(200);
        assertThat(status("'allocation':{'devices':{'results':[" + result.replace("gpu-0", "gpu-1") + "]}}")
                        .causes())
                .singleElement()
                .asString()
                .startsWith("status.allocation: Invalid value: ")
                .endsWith("field is immutable");
        assertThat(status("'devices':[" + result.replace("'request':'r',", "").replace("gpu-0", "gpu-1") + "]")
                        .causes())
                .containsExactly(
                        "status.devices[0]: Invalid value: \"d.example.com/n1/gpu-1\": must be an allocated device in"
                                + " the claim");
        status("'allocation':null,'reservedFor':null").is(200);
    }

    private Reply status(String status) {
        return admin.patch(claims + "/c/status", TestClient.MERGE_PATCH, "{'status':{" + status + "}}");
    }

    @Test
    void aTemplateSaysOnlyWhatIsCopiedAndStays() {
        String templates = claims.replace("resourceclaims", "resourceclaimtemplates");
        assertThat(admin.post(
                                templates,
                                "{'metadata':{'name':'t'},'spec':{'metadata':{'name':'n'},'spec':{'devices':{'requests':["
                                        + ONE + "]}}}}")
                        .causes())
                .containsExactly("spec.metadata.name: Forbidden: cannot be set");
        admin.create(templates, "{'metadata':{'name':'t'},'spec':{'spec':{'devices':{'requests':[" + ONE + "]}}}}");
        assertThat(admin.patch(
                                templates + "/t",
                                TestClient.MERGE_PATCH,
                                "{'spec':{'spec':{'devices':{'requests':[]}}}}")
                        .causes())
                .singleElement()
                .asString()
                .endsWith("field is immutable");
    }

    private Reply slice(String more) {
        return admin.post(
                SLICES,
                "{'metadata':{'name':'s'},'spec':{'driver':'d.example.com','pool':{'name':'n1','generation':1,'resourceSliceCount':1}"
                        + more + "}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        ~~ | spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required
        ,'nodeName':'n1','allNodes':true | spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set
        ,'allNodes':true,'devices':[{'name':'A_b'}] | spec.devices[0].name: Invalid value: "A_b": a lowercase RFC 1123 label
        ,'allNodes':true,'devices':[{'name':'a'},{'name':'a'}] | spec.devices[1]: Duplicate value: "a"
        ,'allNodes':true,'devices':[{'name':'a','nodeName':'n'}] | spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if
        ,'allNodes':true,'devices':[{'name':'a','attributes':{'x':{}}}] | spec.devices[0].attributes[x]: Invalid value: "": exactly one value must be specified
        ,'allNodes':true,'devices':[{'name':'a','attributes':{'x-y':{'int':1}}}] | spec.devices[0].attributes[x-y]: Invalid value: "x-y": a valid C identifier must start
        ,'allNodes':true,'devices':[{'name':'a','attributes':{'x':{'version':'1.0'}}}] | spec.devices[0].attributes[x].version: Invalid value: "1.0": must be a string compatible with semver.org spec 2.0.0
        ,'allNodes':true,'devices':[{'name':'a','taints':[{'key':'k','effect':'Odd'}]}] | spec.devices[0].taints[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"
        """)
    void whatASliceMayNotSay(String more, String cause) {
        assertThat(slice(more).causes()).singleElement().asString().startsWith(cause);
    }

    @Test
    void aSliceIsOfOneDriverAndOneNode() {
        Reply made = slice(",'nodeName':'n1','devices':[{'name':'gpu-0','attributes':{'model':{'string':'x'}},"
                        + "'capacity':{'memory':{'value':'1Gi'}}}]")
                .is(201);
        assertThat(made.at("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(admin.patch(
                                SLICES + "/s",
                                TestClient.MERGE_PATCH,
                                "{'spec':{'driver':'e.example.com','nodeName':'n2','pool':{'name':'n2'}}}")
                        .causes())
                .containsExactlyInAnyOrder(
                        "spec.pool.name: Invalid value: \"n2\": field is immutable",
                        "spec.driver: Invalid value: \"e.example.com\": field is immutable",
                        "spec.nodeName: Invalid value: \"n2\": field is immutable");
    }

    @Test
    void aClassOfDevices() {
        assertThat(admin.post(
                                GROUP + "deviceclasses",
                                "{'metadata':{'name':'gpu'},'spec':{'selectors':[{}],'config':[{'opaque':{'driver':'d','parameters':[]}}]}}")
                        .causes())
                .containsExactly(
                        "spec.selectors[0].cel: Required value",
                        "spec.config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a valid JSON"
                                + " object");
    }
}
