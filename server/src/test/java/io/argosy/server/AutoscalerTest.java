package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an autoscaler may say, what it says by itself, and what is answered where nobody measures anything. */
class AutoscalerTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String PATH = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    private static final String TARGET = "'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'web'}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'minReplicas':0,'maxReplicas':1 | spec.minReplicas: Invalid value: 0: must be greater than or equal"
                        + " to 1",
                "'maxReplicas':0 | spec.maxReplicas: Invalid value: 0: must be greater than 0",
                "'minReplicas':3,'maxReplicas':2 | spec.maxReplicas: Invalid value: 2: must be greater than or equal"
                        + " to `minReplicas`",
                "'maxReplicas':2,'metrics':[{'type':'Odd'}] | spec.metrics[0].type: Unsupported value: \"Odd\"",
                "'maxReplicas':2,'metrics':[{'type':'Resource'}] | spec.metrics[0].resource: Required value: must"
                        + " populate information for the given metric source",
                "'maxReplicas':2,'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization'}}}]"
                        + " | spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target"
                        + " raw value or a target utilization",
                "'maxReplicas':2,'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':0}}}]"
                        + " | must be greater than 0",
                "'maxReplicas':2,'behavior':{'scaleUp':{'stabilizationWindowSeconds':3601}} |"
                        + " spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or"
                        + " equal to 3600",
                "'maxReplicas':2,'behavior':{'scaleUp':{'policies':[{'type':'Pods','value':0,'periodSeconds':1801}]}}"
                        + " | spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
                "'maxReplicas':2,'metrics':[{'type':'Pods','pods':{'metric':{'name':'m'},'target':{'type':'Value','value':'1'}}}]"
                        + " | spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target"
                        + " averageValue",
                "'maxReplicas':2,'metrics':[{'type':'Pods','pods':{'metric':{'name':'a/b'},'target':{'type':'AverageValue','averageValue':'1'}}}]"
                        + " | spec.metrics[0].pods.metric.name: Invalid value: \"a/b\": may not contain '/'",
                "'maxReplicas':2,'metrics':[{'type':'External','external':{'metric':{'name':'m'},'target':{'type':'Value','value':'1','averageValue':'1'}}}]"
                        + " | spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric"
                        + " and a per-pod target",
                "'maxReplicas':2,'metrics':[{'type':'External','external':{'metric':{'name':'m'},'target':{'type':'Value'}}}]"
                        + " | spec.metrics[0].external.target.averageValue: Required value: must set either a target value"
                        + " for metric or a per-pod target",
                "'maxReplicas':2,'metrics':[{'type':'Object','object':{'describedObject':{'kind':'K','name':'n','apiVersion':'a/b/c'},'metric':{'name':'m'},'target':{'type':'Value','value':'1'}}}]"
                        + " | spec.metrics[0].object.describedObject.apiVersion: Invalid value: \"a/b/c\": unexpected"
                        + " GroupVersion string: a/b/c",
                "'maxReplicas':2,'metrics':[{'type':'Object','object':{'metric':{'name':'m'},'target':{'type':'Value','value':'1'}}}]"
                        + " | spec.metrics[0].object.describedObject.kind: Required value",
                "'maxReplicas':2,'metrics':[{'type':'ContainerResource','containerResource':{'name':'odd','container':'c','target':{'type':'Utilization','averageUtilization':1}}}]"
                        + " | spec.metrics[0].containerResource.name: Invalid value: \"odd\": must be a standard resource"
                        + " for containers",
                "'maxReplicas':2,'metrics':[{'type':'ContainerResource','containerResource':{'name':'cpu','container':'C','target':{'type':'Utilization','averageUtilization':1}}}]"
                        + " | spec.metrics[0].containerResource.container: Invalid value: \"C\": a lowercase RFC 1123"
                        + " label",
                "'minReplicas':0,'maxReplicas':2 | spec.minReplicas: Invalid value: 0: must be greater than or equal to 1,"
                        + " spec.metrics: Forbidden: must specify at least one Object or External metric to support"
                        + " scaling to zero replicas",
                "'maxReplicas':2,'metrics':[{'type':'Resource','pods':{'metric':{'name':'m'},'target':{'averageValue':'1'}}}]"
                        + " | spec.metrics[0].pods.target.type: Required value: must specify a metric target type,"
                        + " spec.metrics[0].pods.target.type: Invalid value: \"\": must be either Utilization, Value, or"
                        + " AverageValue, spec.metrics[0].resource: Required value: must populate information for the given"
                        + " metric source",
                "'maxReplicas':2,'metrics':[{'type':'Pods','resource':{},'pods':{'metric':{'name':'m'},'target':{'type':'AverageValue','averageValue':'1'}}}]"
                        + " | spec.metrics[0].resource: Forbidden: must populate the given metric source only",
                "'maxReplicas':2,'behavior':{'scaleUp':{'tolerance':'-1','policies':[]}} |"
                        + " spec.behavior.scaleUp.policies: Required value: must specify at least one Policy,"
                        + " spec.behavior.scaleUp.tolerance: Invalid value: \"-1\": must be greater than or equal to 0",
                "'maxReplicas':2,'behavior':{'scaleDown':{'selectPolicy':'Odd'}} |"
                        + " spec.behavior.scaleDown.selectPolicy: Unsupported value: \"Odd\"",
            })
    void nonsenseIsRefused(String spec, String error) {
        TestClient.Reply refused =
                SERVER.admin().post(PATH, "{'metadata':{'name':'odd'},'spec':{" + spec + "," + TARGET + "}}");
        assertThat(refused.is(422).at("/message").asText()).contains(error);
    }

    @Test
    void whatIsNotSaidIsFilledIn() {
        TestClient.Reply made = SERVER.admin()
                .create(
                        PATH,
                        "{'metadata':{'name':'web'},'spec':{'maxReplicas':2,'behavior':{'scaleUp':{'selectPolicy':'Min'}},"
                                + TARGET + "}}");
        assertThat(made.at("/spec/minReplicas").asInt()).isEqualTo(1);
        assertThat(made.at("/spec/metrics/0/resource/target/averageUtilization").asInt())
                .isEqualTo(80);
        assertThat(made.at("/spec/behavior/scaleUp/policies")).hasSize(2);
        assertThat(made.at("/spec/behavior/scaleUp/selectPolicy").asText()).isEqualTo("Min");
        assertThat(made.at("/spec/behavior/scaleDown/policies/0/value").asInt()).isEqualTo(100);
    }

    @Test
    void withoutAnybodyWhoMeasuresThereIsNothingToList() {
        assertThat(SERVER.admin()
                        .get("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods")
                        .is(200)
                        .at("/items"))
                .isEmpty();
        assertThat(SERVER.admin()
                        .get("/apis/metrics.k8s.io/v1beta1/nodes/nowhere")
                        .is(404)
                        .at("/message")
                        .asText())
                .isEqualTo("nodes.metrics.k8s.io \"nowhere\" not found");
        SERVER.admin().get("/apis/metrics.k8s.io/v1beta1/nodes?watch=true").is(405);
        SERVER.admin()
                .post("/apis/metrics.k8s.io/v1beta1/nodes", "{'metadata':{'name':'n'}}")
                .is(405);
    }

    @Test
    void whatIsScaledIsNamedWithItsGroup() {
        String autoscaler =
                "{'metadata':{'name':'%s'},'spec':{'maxReplicas':2,'scaleTargetRef':{%s'kind':'%s','name':'n'}}}";
        String missing = "spec.scaleTargetRef.apiVersion: Invalid value: \"%s\": apiVersion must specify API group";
        TestClient admin = SERVER.admin();
        assertThat(admin.post(PATH, autoscaler.formatted("a", "", "Deployment")).causes())
                .containsExactly(missing.formatted(""));
        assertThat(admin.post(PATH, autoscaler.formatted("a", "'apiVersion':'v1',", "Deployment"))
                        .causes())
                .containsExactly(missing.formatted("v1"));
        admin.create(PATH, autoscaler.formatted("a", "'apiVersion':'v1',", "ReplicationController"));
        assertThat(admin.patch(PATH + "/a", TestClient.MERGE_PATCH, "{'spec':{'scaleTargetRef':{'kind':'Deployment'}}}")
                        .causes())
                .containsExactly(missing.formatted("v1"));
        assertThat(admin.patch(PATH + "/a/status", TestClient.MERGE_PATCH, "{'status':{'desiredReplicas':-1}}")
                        .causes())
                .containsExactly("status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0");
    }
}
