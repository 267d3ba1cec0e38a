package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What those that make pods from a template may not say, in their specs and of their pods. */
class WorkloadRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String POD = "'containers':[{'name':'c','image':'i'}]";
    private static final String PERCENT =
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex"
                    + " used for validation is '[0-9]+%')";

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
    }

    private String path(String kind) {
        String group = kind.equals("replicationcontrollers") ? "/api/v1" : "/apis/apps/v1";
        return group + "/namespaces/" + namespace + "/" + kind;
    }

    private static String body(String kind, String spec) {
        String selector = kind.equals("replicationcontrollers") ? "{'a':'b'}" : "{'matchLabels':{'a':'b'}}";
        String all = spec;
        if (!spec.contains("'selector'")) {
            all += ",'selector':" + selector;
        }
        if (!spec.contains("'template'")) {
            all += ",'template':{'metadata':{'labels':{'a':'b'}},'spec':{" + POD + "}}";
        }
        return "{'metadata':{'name':'w'},'spec':{" + (all.startsWith(",") ? all.substring(1) : all) + "}}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        deployments | 'replicas':-1 | spec.replicas: Invalid value: -1: must be greater than or equal to 0
        deployments | 'minReadySeconds':-1 | spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0
        deployments | 'revisionHistoryLimit':-1 | spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0
        deployments | 'progressDeadlineSeconds':30,'minReadySeconds':30 | spec.progressDeadlineSeconds: Invalid value: 30: must be greater than minReadySeconds
        deployments | 'strategy':{'type':'Odd'} | spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"
        deployments | 'strategy':{'type':'Recreate','rollingUpdate':{'maxSurge':1}} | spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'
        deployments | 'strategy':{'rollingUpdate':{'maxSurge':0,'maxUnavailable':'0%'}} | spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0
        deployments | 'strategy':{'rollingUpdate':{'maxUnavailable':'101%'}} | spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%
        deployments | 'strategy':{'rollingUpdate':{'maxUnavailable':-1}} | spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0
        deployments | 'strategy':{'rollingUpdate':{'maxSurge':'some'}} | spec.strategy.rollingUpdate.maxSurge: Invalid value: "some": PERCENT
        deployments | 'selector':{} | spec.selector: Invalid value: {}: empty selector is invalid for deployment
        replicasets | 'selector':{} | spec.selector: Invalid value: {}: empty selector is invalid for deployment
        replicasets | 'minReadySeconds':-1 | spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0
        daemonsets | 'selector':{} | spec.selector: Invalid value: {}: empty selector is invalid for daemonset
        daemonsets | 'updateStrategy':{'type':'Odd'} | spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"
        daemonsets | 'updateStrategy':{'rollingUpdate':{'maxSurge':1}} | spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero
        daemonsets | 'updateStrategy':{'rollingUpdate':{'maxUnavailable':0}} | spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0
        daemonsets | 'updateStrategy':{'rollingUpdate':{'maxUnavailable':0,'maxSurge':'1000%'}} | spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "1000%": must not be greater than 100%
        daemonsets | 'revisionHistoryLimit':-1 | spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0
        statefulsets | 'podManagementPolicy':'Odd' | spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'
        statefulsets | 'updateStrategy':{'type':'Odd'} | spec.updateStrategy: Invalid value: {"Type":"Odd","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'
        statefulsets | 'updateStrategy':{'type':'OnDelete','rollingUpdate':{'partition':1}} | spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy 'RollingUpdate'
        statefulsets | 'updateStrategy':{'rollingUpdate':{'partition':-1}} | spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0
        statefulsets | 'updateStrategy':{'rollingUpdate':{'maxUnavailable':0}} | spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0
        statefulsets | 'ordinals':{'start':-1} | spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0
        statefulsets | 'persistentVolumeClaimRetentionPolicy':{'whenScaled':'Odd'} | spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Odd": supported values: "Retain", "Delete"
        statefulsets | 'volumeClaimTemplates':[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce']}}] | spec.volumeClaimTemplates[0].spec.resources[storage]: Required value
        replicationcontrollers | 'minReadySeconds':-1 | spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0
        replicationcontrollers | 'replicas':-1 | spec.replicas: Invalid value: -1: must be greater than or equal to 0
        deployments | 'template':{'metadata':{'labels':{'a':'b'}},'spec':{'activeDeadlineSeconds':1,POD}} | spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported
        statefulsets | 'template':{'metadata':{'labels':{'a':'b'}},'spec':{'activeDeadlineSeconds':1,POD}} | spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported
        daemonsets | 'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Never',POD}} | spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"
        replicasets | 'template':{'metadata':{'labels':{'a':'b'}},'spec':{'ephemeralContainers':[{'name':'e','image':'i','terminationMessagePolicy':'File'}],POD}} | spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template
        replicasets | 'template':{'metadata':{'labels':{'a':'b'},'annotations':{'b d':'x'}},'spec':{POD}} | spec.template.annotations: Invalid value: "b d": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
        daemonsets | 'template':{'metadata':{'labels':{'c':'d'}},'spec':{POD}} | spec.template.metadata.labels: Invalid value: {"c":"d"}: `selector` does not match template `labels`
        replicationcontrollers | 'selector':{'c':'d'} | spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`
        """)
    void whatASpecMayNotSay(String kind, String spec, String cause) {
        String body = body(kind, spec.replace("POD", POD));
        assertThat(admin.post(path(kind), body).causes()).containsExactly(cause.replace("PERCENT", PERCENT));
    }

    @Test
    void aSelectorThatCannotBeReadIsSaidBesideAllElse() {
        String bad = "'selector':{'matchExpressions':[{'key':'a','operator':'Near','values':['b']}]}";
        String shown = "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Near\",\"values\":[\"b\"]}]}";
        String operator =
                "spec.selector.matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector operator";
        assertThat(admin.post(path("deployments"), body("deployments", "'replicas':-1," + bad))
                        .causes())
                .containsExactlyInAnyOrder(
                        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
                        operator,
                        "spec.selector: Invalid value: " + shown + ": invalid label selector");
        assertThat(admin.post(path("statefulsets"), body("statefulsets", bad)).causes())
                .containsExactlyInAnyOrder(operator, "spec.selector: Invalid value: " + shown);
        assertThat(admin.post(path("daemonsets"), body("daemonsets", bad)).causes())
                .containsExactly(operator);
    }

    @Test
    void whoSelectsNothingFindsNoPods() {
        String missing =
                "{'metadata':{'name':'w'},'spec':{'template':{'metadata':{'labels':{'a':'b'}},'spec':{" + POD + "}}}}";
        String unmatched =
                "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template"
                        + " `labels`";
        assertThat(admin.post(path("deployments"), missing).causes())
                .containsExactly("spec.selector: Required value", unmatched);
        assertThat(admin.post(path("daemonsets"), missing).causes()).containsExactly(unmatched);
        assertThat(admin.post(
                                path("replicationcontrollers"),
                                "{'metadata':{'name':'w'},'spec':{'template':{'spec':{" + POD + "}}}}")
                        .causes())
                .containsExactly("spec.selector: Required value");
    }

    @Test
    void aStatefulSetIsNamedAsItsPodsHostsAre() {
        String set = body("statefulsets", "'serviceName':'Bad_Name'");
        assertThat(admin.post(path("statefulsets"), set.replace("'w'", "'w.x'")).causes())
                .hasSize(2)
                .anyMatch(cause -> cause.startsWith("metadata.name: Invalid value: \"w.x\": must not contain dots"))
                .anyMatch(cause -> cause.startsWith("spec.serviceName: Invalid value: \"Bad_Name\""));
        String long64 = "w".repeat(64);
        assertThat(admin.post(path("statefulsets"), body("statefulsets", "").replace("'w'", "'" + long64 + "'"))
                        .causes())
                .containsExactly(
                        "metadata.name: Invalid value: \"" + long64 + "\": must be no more than 63 characters");
    }

    @Test
    void aStatefulSetOfAnUpdateTypeThatIsNamedNeedsNothingElse() {
        Reply named =
                admin.create(path("statefulsets"), body("statefulsets", "'updateStrategy':{'type':'RollingUpdate'}"));
        assertThat(named.at("/spec/updateStrategy")).hasToString("{\"type\":\"RollingUpdate\"}");
        Reply unnamed = admin.create(
                path("statefulsets"), body("statefulsets", "'replicas':1").replace("'w'", "'x'"));
        assertThat(unnamed.at("/spec/updateStrategy"))
                .hasToString("{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        deployments | 'unavailableReplicas':-1 | status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0
        deployments | 'replicas':1,'updatedReplicas':2 | status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas
        deployments | 'replicas':1,'availableReplicas':1 | status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas
        replicasets | 'replicas':1,'fullyLabeledReplicas':2 | status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas
        statefulsets | 'replicas':1,'availableReplicas':1 | status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas
        statefulsets | 'replicas':1,'currentReplicas':2 | status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas
        daemonsets | 'numberReady':-1,'currentNumberScheduled':0,'desiredNumberScheduled':0,'numberMisscheduled':0 | status.numberReady: Invalid value: -1: must be greater than or equal to 0
        replicationcontrollers | 'replicas':1,'readyReplicas':2 | status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas
        """)
    void whatIsToldOfPodsAddsUp(String kind, String status, String cause) {
        admin.create(path(kind), body(kind, ""));
        assertThat(admin.patch(path(kind) + "/w/status", TestClient.MERGE_PATCH, "{'status':{" + status + "}}")
                        .causes())
                .containsExactly(cause);
    }

    @Test
    void collisionsAreNotForgotten() {
        for (String kind : new String[] {"deployments", "statefulsets", "daemonsets"}) {
            admin.create(path(kind), body(kind, ""));
            String status = path(kind) + "/w/status";
            admin.patch(status, TestClient.MERGE_PATCH, "{'status':{'collisionCount':2}}")
                    .is(200);
            assertThat(admin.patch(status, TestClient.MERGE_PATCH, "{'status':{'collisionCount':1}}")
                            .causes())
                    .containsExactly("status.collisionCount: Invalid value: 1: cannot be decremented");
        }
    }
}
