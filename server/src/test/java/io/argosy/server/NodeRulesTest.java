package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What nodes are given when they are new, what they may not say, and what of them stays. */
class NodeRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String NODES = "/api/v1/nodes";
    private static final String NOT_READY = "{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":\"NoSchedule\"}";

    private final TestClient admin = SERVER.admin();

    @AfterEach
    void gone() {
        admin.delete(NODES + "/n");
    }

    private Reply post(String content) {
        return admin.post(NODES, "{'metadata':{'name':'n'}," + content + "}");
    }

    private Reply patch(String content) {
        return admin.patch(NODES + "/n", TestClient.MERGE_PATCH, "{" + content + "}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'spec':{'taints':[{'key':'a b','effect':'NoSchedule'}]} | metadata.taints[0].key: Invalid value: "a b": name part must
        'spec':{'taints':[{'key':'a','value':'b c','effect':'NoSchedule'}]} | metadata.taints[0].value: Invalid value: "b c": a valid label must
        'spec':{'taints':[{'key':'a','effect':''}]} | metadata.taints[0].effect: Required value
        'spec':{'taints':[{'key':'a','effect':'Odd'}]} | metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"
        'spec':{'taints':[{'key':'a','effect':'NoSchedule'},{'key':'a','value':'v','effect':'NoSchedule'}]} | metadata.taints[1]: Duplicate value: {"Key":"a","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair
        'spec':{'podCIDR':'10.0.0.0'} | spec.podCIDRs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)
        'spec':{'podCIDRs':['10.0.0.0/24','10.0.1.0/24']} | spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family
        'status':{'capacity':{'cpu':'-1'},'allocatable':{'cpu':'1'}} | status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0
        'status':{'allocatable':{'pods':'1500m'}} | status.allocatable.pods: Invalid value: "1500m": must be an integer
        """)
    void whatANodeMayNotSay(String content, String cause) {
        assertThat(post(content).causes()).singleElement().asString().startsWith(cause);
    }

    @Test
    void aNewNodeIsNotReadyWhateverItSays() {
        Reply made =
                post("'spec':{'taints':[{'key':'a','effect':'NoExecute'}]}").is(201);
        assertThat(made.at("/spec/taints")).hasToString("[{\"key\":\"a\",\"effect\":\"NoExecute\"}," + NOT_READY + "]");
        assertThat(patch("'spec':{'taints':null}").is(200).at("/spec").has("taints"))
                .as("whoever knows that it is ready says so")
                .isFalse();
        admin.delete(NODES + "/n").is(200);
        assertThat(post("'spec':{'taints':[" + NOT_READY.replace('"', '\'') + "]}")
                        .is(201)
                        .at("/spec/taints"))
                .hasSize(1);
    }

    @Test
    void whatANodeHasCanBeUsedWhereItSaysNothingElse() {
        Reply made = post("'status':{'capacity':{'cpu':'2','memory':'1Gi'}}").is(201);
        assertThat(made.at("/status/allocatable")).isEqualTo(made.at("/status/capacity"));
    }

    @Test
    void theRangesAndTheMachineOfANodeStay() {
        assertThat(post("'spec':{'providerID':'cloud://a','podCIDRs':['10.0.0.0/24','fd00::/64']}")
                        .is(201)
                        .at("/spec/podCIDR")
                        .asText())
                .isEqualTo("10.0.0.0/24");
        assertThat(patch("'spec':{'podCIDR':'10.0.1.0/24'}").causes())
                .containsExactly(
                        "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid");
        assertThat(patch("'spec':{'externalID':'e'}").causes())
                .containsExactly("spec.externalID: Forbidden: may not be updated");
        assertThat(patch("'spec':{'providerID':'cloud://b'}").causes())
                .containsExactly(
                        "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid");
    }

    @Test
    void theStatusOfANodeIsCheckedToo() {
        post("'spec':{}").is(201);
        String address = "{'type':'InternalIP','address':'10.0.0.1'}";
        Reply refused = admin.patch(
                NODES + "/n/status",
                TestClient.MERGE_PATCH,
                "{'status':{'capacity':{'memory':'-1'},'addresses':[" + address + "," + address + "]}}");
        assertThat(refused.causes())
                .containsExactlyInAnyOrder(
                        "status.capacity.memory: Invalid value: \"-1\": must be greater than or equal to 0",
                        "status.allocatable.memory: Invalid value: \"-1\": must be greater than or equal to 0",
                        "status.addresses[1]: Duplicate value: {\"Type\":\"InternalIP\",\"Address\":\"10.0.0.1\"}");
    }
}
