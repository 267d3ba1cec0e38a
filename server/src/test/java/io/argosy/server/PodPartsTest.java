package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.TestClient.Reply;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of a pod that have doors of their own: amounts, debugging containers, status. */
class PodPartsTest {
    private static final String AMOUNTS =
            "'resources':{'requests':{'cpu':'1','memory':'1Gi'},'limits':{'cpu':'2','memory':'1Gi'}}";
    private static final String POD = "{'metadata':{'name':'p','labels':{'l':'1'}},'spec':{'restartPolicy':'OnFailure',"
            + "'initContainers':[{'name':'first','image':'i',RESOURCES},{'name':'side','image':'i','restartPolicy':'Always',RESOURCES}],"
            + "'containers':[{'name':'c','image':'i',RESOURCES}]}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String pods;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        pods = "/api/v1/namespaces/" + SERVER.namespace() + "/pods";
    }

    private Reply pod() {
        return admin.create(pods, POD.replace("RESOURCES", AMOUNTS));
    }

    @Test
    void aResizeChangesAmountsAndNothingElse() {
        pod();
        Reply resized = admin.patch(
                        pods + "/p/resize",
                        TestClient.STRATEGIC,
                        "{'metadata':{'labels':{'l':'2'},'annotations':{'a':'b'},'finalizers':['example.com/f']},'spec':{"
                                + "'activeDeadlineSeconds':5,'tolerations':[{'key':'k','operator':'Exists'}],'initContainers':[{'name':'side',"
                                + "'resources':{'limits':{'cpu':'3'}}}],'containers':[{'name':'c','image':'other',"
                                + "'resources':{'requests':{'cpu':'1500m'}}}]}}")
                .is(200);
        assertThat(resized.at("/spec/containers/0/resources/requests/cpu").asText())
                .isEqualTo("1500m");
        assertThat(resized.at("/spec/initContainers/1/resources/limits/cpu").asText())
                .isEqualTo("3");
        assertThat(resized.at("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(resized.at("/spec/containers/0/image").asText()).isEqualTo("i");
        assertThat(resized.at("/spec/activeDeadlineSeconds").isMissingNode()).isTrue();
        assertThat(resized.at("/spec/tolerations")).hasSize(2);
        assertThat(resized.at("/metadata/labels").toString()).isEqualTo("{\"l\":\"1\"}");
        assertThat(resized.at("/metadata/annotations").isMissingNode()).isTrue();
        assertThat(resized.at("/metadata/finalizers").isMissingNode()).isTrue();
        assertThat(resized.at("/metadata/managedFields").toString()).doesNotContain("f:finalizers");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{'op':'remove','path':'/spec/containers/0/resources/limits/cpu'},{'op':'remove','path':'/spec/containers/0/resources/requests/cpu'}]"
                        + " | spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
                "[{'op':'remove','path':'/spec/containers/0/resources/limits/cpu'}] |"
                        + " spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
                "[{'op':'add','path':'/spec/containers/0/resources/requests/ephemeral-storage','value':'1Gi'}] | spec:"
                        + " Forbidden: only cpu and memory resources are mutable",
                "[{'op':'add','path':'/spec/initContainers/1/resources/requests/ephemeral-storage','value':'1Gi'}] |"
                        + " spec: Forbidden: only cpu and memory resources for sidecar containers are mutable",
                "[{'op':'replace','path':'/spec/initContainers/0/resources/requests/cpu','value':'500m'}] | spec:"
                        + " Forbidden: resources for non-sidecar init containers are immutable",
                "[{'op':'replace','path':'/spec/containers/0/name','value':'d'}] | spec.containers[0].name: Forbidden:"
                        + " containers may not be renamed or reordered on resize",
                "[{'op':'remove','path':'/spec/initContainers/0'}] | spec.initContainers: Forbidden: initContainers"
                        + " may not be added or removed on resize",
                "[{'op':'replace','path':'/spec/containers/0/resources/requests/cpu','value':'4'}] |"
                        + " spec.containers[0].resources.requests: Invalid value: \"4\": must be less than or equal to cpu"
                        + " limit of 2",
            })
    void resizesThatDoNotFitAreRefused(String patch, String cause) {
        pod();
        assertThat(admin.patch(pods + "/p/resize", TestClient.JSON_PATCH, patch.strip())
                        .causes())
                .contains(cause);
    }

    @Test
    void aResizeLeavesTheQualityOfService() {
        admin.create(pods, POD.replace("RESOURCES", "'resources':{'limits':{'cpu':'1','memory':'1Gi'}}"));
        assertThat(admin.get(pods + "/p").at("/status/qosClass").asText()).isEqualTo("Guaranteed");
        String patch =
                "[{'op':'replace','path':'/spec/containers/0/resources/requests/cpu','value':'500m'},{'op':'replace','path':"
                        + "'/spec/containers/0/resources/limits/cpu','value':'LIMIT'}]";
        assertThat(admin.patch(pods + "/p/resize", TestClient.JSON_PATCH, patch.replace("LIMIT", "1"))
                        .causes())
                .contains("spec: Invalid value: \"Guaranteed\": Pod QOS Class may not change as a result of resizing");
        admin.patch(pods + "/p/resize", TestClient.JSON_PATCH, patch.replace("LIMIT", "500m"))
                .is(200);
    }

    @Test
    void debuggingContainersAreAddedAndStay() {
        pod();
        String door = pods + "/p/ephemeralcontainers";
        Reply added = admin.patch(
                        door,
                        TestClient.STRATEGIC,
                        "{'metadata':{'labels':{'l':'2'},'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'m','uid':'u'}]},"
                                + "'spec':{'activeDeadlineSeconds':5,'ephemeralContainers':[{'name':'debug','image':'busybox'}]}}")
                .is(200);
        assertThat(added.at("/metadata/labels/l").asText()).isEqualTo("1");
        assertThat(added.at("/metadata/ownerReferences").isMissingNode()).isTrue();
        assertThat(added.at("/spec/activeDeadlineSeconds").isMissingNode()).isTrue();
        assertThat(admin.patch(door, TestClient.MERGE_PATCH, "{'spec':{'ephemeralContainers':null}}")
                        .causes())
                .containsExactly(
                        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be"
                                + " removed\n");
        assertThat(admin.patch(
                                door,
                                TestClient.STRATEGIC,
                                "{'spec':{'ephemeralContainers':[{'name':'debug','image':'other'}]}}")
                        .causes())
                .containsExactly(
                        "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"debug\" may not be"
                                + " changed\n@@ -1,5 +1,5 @@\n {\n- \"image\": \"busybox\",\n+ \"image\": \"other\",\n"
                                + "  \"imagePullPolicy\": \"Always\",\n  \"name\": \"debug\",\n  \"resources\": {},\n");
    }

    @Test
    void wantingNoDebuggingContainersIsNoChange() {
        Reply created = pod();
        Reply same = admin.put(pods + "/p/ephemeralcontainers", created.body()).is(200);
        assertThat(same.body()).isEqualTo(created.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"resize", "ephemeralcontainers"})
    void theImageOfAStaticPodHasNeitherDoor(String door) {
        Reply created = admin.create(
                pods,
                POD.replace("RESOURCES", AMOUNTS)
                        .replace("'labels'", "'annotations':{'kubernetes.io/config.mirror':'x'},'labels'")
                        .replace("'spec':{", "'spec':{'nodeName':'n',"));
        ObjectNode changed = created.body().deepCopy();
        ((ObjectNode) changed.at("/spec/containers/0/resources/requests")).put("cpu", "500m");
        changed.withArray("/spec/ephemeralContainers")
                .addObject()
                .put("name", "d")
                .put("image", "i");
        assertThat(admin.put(pods + "/p/" + door, changed).is(422).message()).contains("static pods");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'containerStatuses':[{'name':'c','state':{'running':{}}}]} | status.containerStatuses[0].state:"
                        + " Forbidden: may not be transitioned to non-terminated state",
                "{'initContainerStatuses':[{'name':'first','state':{'waiting':{}}}]} |"
                        + " status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated"
                        + " state",
                "{'qosClass':'BestEffort'} | status.qosClass: Invalid value: \"BestEffort\": field is immutable",
                "{'podIPs':[{'ip':'10.0.0.300'}]} | status.podIPs[0]: Invalid value: \"10.0.0.300\": must be a valid"
                        + " IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "{'podIPs':[{'ip':'10.0.0.3'},{'ip':'10.0.0.4'}]} | status.podIPs: Invalid value:"
                        + " [{\"ip\":\"10.0.0.3\"},{\"ip\":\"10.0.0.4\"}]: may specify no more than one IP for each IP"
                        + " family",
                "{'hostIP':'10.0.0.1','hostIPs':[{'ip':'10.0.0.2'}]} | status.hostIPs[0].ip: Invalid value:"
                        + " \"10.0.0.2\": must be equal to `hostIP`",
                "{'observedGeneration':-1} | status.observedGeneration: Invalid value: -1: must be a non-negative"
                        + " integer",
                "{'nominatedNodeName':'N_1'} | status.nominatedNodeName: Invalid value: \"N_1\": a lowercase RFC 1123"
                        + " subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
                        + " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                        + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            })
    void reportsThatCannotBeAreRefused(String status, String cause) {
        pod();
        ended();
        assertThat(admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, "{'status':" + status.strip() + "}")
                        .causes())
                .containsExactly(cause);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'containerStatuses':[{'name':'failed','state':{'running':{}}}]}",
                "{'initContainerStatuses':[{'name':'side','state':{'running':{}}}]}",
                "{'containerStatuses':null,'initContainerStatuses':null}",
                "{'qosClass':null,'observedGeneration':null}",
                "{'podIPs':[{'ip':'10.0.0.3'},{'ip':'fd00::3'}]}",
            })
    void otherReportsAreTaken(String status) {
        admin.create(
                pods,
                POD.replace("RESOURCES", AMOUNTS)
                        .replace("'containers':[", "'containers':[{'name':'failed','image':'i'},"));
        ended();
        Reply reported = admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, "{'status':" + status + "}")
                .is(200);
        assertThat(reported.at("/status/qosClass").asText()).isEqualTo("Burstable");
        assertThat(reported.at("/status/observedGeneration").asInt()).isEqualTo(1);
    }

    private void ended() {
        String ended = "'state':{'terminated':{'exitCode':CODE}}}";
        String statuses = "{'status':{'observedGeneration':1,'containerStatuses':[{'name':'c',"
                + ended.replace("CODE", "0")
                + ",{'name':'failed'," + ended.replace("CODE", "1") + "],'initContainerStatuses':[{'name':'first',"
                + ended.replace("CODE", "0") + ",{'name':'side'," + ended.replace("CODE", "0") + "]}}";
        admin.patch(pods + "/p/status", TestClient.MERGE_PATCH, statuses).is(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'requests':{'cpu':'0'}} | | BestEffort",
                "{'limits':{'cpu':'1','memory':'1Gi'}} | | Guaranteed",
                "{'limits':{'cpu':'1','memory':'0'}} | | Burstable",
                "{} | {'requests':{'cpu':'1'}} | Burstable",
                "{'requests':{'cpu':'1'}} |"
                        + " {'requests':{'cpu':'1','memory':'1Gi'},'limits':{'cpu':'1','memory':'1Gi'}} | Guaranteed",
            })
    void theQualityOfServiceFollowsWhatIsAskedFor(String ofContainer, String ofPod, String quality) {
        String json = "{'metadata':{'name':'q'},'spec':{'containers':[{'name':'c','image':'i','resources':"
                + ofContainer + "}]" + (ofPod == null ? "" : ",'resources':" + ofPod) + "}}";
        assertThat(admin.create(pods, json).at("/status/qosClass").asText()).isEqualTo(quality);
    }

    @Test
    void whatALimitRangeGivesAPodCountsForItsQualityOfService() {
        admin.create(
                pods.replace("/pods", "/limitranges"),
                "{'metadata':{'name':'l'},'spec':{'limits':[{'type':'Container','default':{'cpu':'1','memory':'1Gi'}}]}}");
        String bare = "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i'}]}}";
        assertThat(admin.create(pods, bare).at("/status/qosClass").asText()).isEqualTo("Guaranteed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/nodeSelector | {'a':'b','c':'d'} | ",
                "/nodeSelector | {'c':'d'} | spec.nodeSelector: Invalid value: {\"c\":\"d\"}: only additions to"
                        + " spec.nodeSelector are allowed (no mutations or deletions)",
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms |"
                        + " [{'matchExpressions':[EXPRESSION,EXPRESSION]}] | ",
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0 |"
                        + " {'matchExpressions':[{'key':'l','operator':'Exists'}]} | only additions are allowed (no"
                        + " mutations or deletions)",
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms |"
                        + " [{'matchExpressions':[EXPRESSION]},{'matchExpressions':[EXPRESSION]}] | no additions/deletions"
                        + " to non-empty NodeSelectorTerms list are allowed",
            })
    void aGatedPodMayBeConfinedToFewerNodes(String path, String value, String cause) {
        String expression = "{'key':'k','operator':'Exists'}";
        String pod =
                "{'metadata':{'name':'g'},'spec':{GATES'containers':[{'name':'c','image':'i'}],'nodeSelector':{'a':'b'},"
                        + "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':["
                        + expression + "]}]}}}}}";
        String patch = "[{'op':'replace','path':'/spec" + path + "','value':"
                + value.strip().replace("EXPRESSION", expression) + "}]";
        admin.create(pods, pod.replace("GATES", "'schedulingGates':[{'name':'a'}],"));
        Reply answer = admin.patch(pods + "/g", TestClient.JSON_PATCH, patch).is(cause == null ? 200 : 422);
        if (cause != null) {
            assertThat(answer.causes()).hasSize(1).first().asString().contains(cause);
        }
        admin.create(pods, pod.replace("GATES", "").replace("'g'", "'free'"));
        assertThat(admin.patch(pods + "/free", TestClient.JSON_PATCH, patch).causes())
                .as(List.of(path, value).toString())
                .hasSize(1)
                .first()
                .asString()
                .contains("pod updates may not change fields other than");
    }

    @Test
    void flagsThatAreFalseMayBeLeftUnsaid() {
        admin.create(
                pods,
                "{'metadata':{'name':'p'},'spec':{'hostNetwork':false,'volumes':[{'name':'v','persistentVolumeClaim':"
                        + "{'claimName':'c','readOnly':false}}],'containers':[{'name':'c','image':'i','tty':false,"
                        + "'volumeMounts':[{'name':'v','mountPath':'/v','readOnly':false}]}]}}");
        String mount = "/spec/containers/0/volumeMounts/0/readOnly";
        for (String flag : List.of(
                "/spec/hostNetwork",
                "/spec/volumes/0/persistentVolumeClaim/readOnly",
                "/spec/containers/0/tty",
                mount)) {
            admin.patch(pods + "/p", TestClient.JSON_PATCH, "[{'op':'remove','path':'" + flag + "'}]")
                    .is(200);
        }
        admin.patch(pods + "/p", TestClient.JSON_PATCH, "[{'op':'add','path':'" + mount + "','value':true}]")
                .is(422);
    }

    @Test
    void aForbiddenChangeIsShown() {
        admin.create(pods, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        assertThat(admin.patch(pods + "/p", TestClient.MERGE_PATCH, "{'spec':{'hostname':'h'}}")
                        .causes())
                .singleElement()
                .asString()
                .contains("(allow it to be set to 1 if it was previously negative)\n@@ -")
                .contains("\n+ \"hostname\": \"h\",\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'kubernetes.io/config.mirror':'m' | {} | metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set
        'controller.kubernetes.io/pod-deletion-cost':'+1' | {} | metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer
        'controller.kubernetes.io/pod-deletion-cost':'3000000000' | {} | metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "3000000000": must be a 32bit integer
        'controller.kubernetes.io/pod-deletion-cost':'007' | {} | metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "007": must be a 32bit integer
        'controller.kubernetes.io/pod-deletion-cost':'-7' | {} | ~~
        'seccomp.security.alpha.kubernetes.io/pod':'odd' | {} | metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "odd": must be a valid seccomp profile
        'seccomp.security.alpha.kubernetes.io/pod':'unconfined' | {'seccompProfile':{'type':'RuntimeDefault'}} | spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match
        'container.seccomp.security.alpha.kubernetes.io/c':'localhost/../a' | {} | metadata.annotations.container.seccomp.security.alpha.kubernetes.io/c: Invalid value: "../a": must not contain '..'
        'container.apparmor.security.beta.kubernetes.io/d':'unconfined' | {} | metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container not found
        'container.apparmor.security.beta.kubernetes.io/c':'odd' | {} | metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Invalid value: "odd": invalid AppArmor profile name: "odd"
        'a':'b' | {'appArmorProfile':{'type':'Localhost','localhostProfile':' x'}} | spec.securityContext.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace
        'a':'b' | {'appArmorProfile':{'type':'Localhost','localhostProfile':''}} | spec.securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost
        """)
    void whatAPodsAnnotationsMayNotSay(String annotation, String context, String cause) {
        Reply answer = admin.post(
                pods + "?dryRun=All",
                "{'metadata':{'name':'p','annotations':{" + annotation + "}},'spec':{'securityContext':" + context
                        + ",'containers':[{'name':'c','image':'i'}]}}");
        if (cause.isEmpty()) {
            answer.is(201);
        } else {
            assertThat(answer.causes()).containsExactly(cause);
        }
    }

    @Test
    void annotationsOfAppArmorAndMirrorsStayAndOthersAreHeldAgainstTheRules() {
        admin.create(
                pods,
                "{'metadata':{'name':'p','annotations':{'container.apparmor.security.beta.kubernetes.io/c':"
                        + "'unconfined'}},'spec':{'nodeName':'n','containers':[{'name':'c','image':'i'}]}}");
        String change = "{'metadata':{'annotations':{'%s':%s}}}";
        String armour = "container.apparmor.security.beta.kubernetes.io/c";
        String mirror = "kubernetes.io/config.mirror";
        String cost = "controller.kubernetes.io/pod-deletion-cost";
        assertThat(admin.patch(pods + "/p", TestClient.MERGE_PATCH, change.formatted(armour, "null"))
                        .causes())
                .containsExactly("metadata.annotations[" + armour
                        + "]: Forbidden: may not remove or update AppArmor annotations");
        assertThat(admin.patch(pods + "/p", TestClient.MERGE_PATCH, change.formatted(mirror, "'m'"))
                        .causes())
                .containsExactly("metadata.annotations[" + mirror + "]: Forbidden: may not add mirror pod annotation");
        assertThat(admin.patch(pods + "/p", TestClient.MERGE_PATCH, change.formatted(cost, "'x'"))
                        .causes())
                .containsExactly("metadata.annotations[" + cost + "]: Invalid value: \"x\": must be a 32bit integer");
        admin.patch(pods + "/p", TestClient.MERGE_PATCH, change.formatted(cost, "'5'"))
                .is(200);
    }

    @Test
    void aPodThatWaitsAtAGateIsOnNoNode() {
        assertThat(admin.post(
                                pods,
                                "{'metadata':{'name':'p'},'spec':{'nodeName':'n','schedulingGates':[{'name':'g'}],"
                                        + "'containers':[{'name':'c','image':'i'}]}}")
                        .causes())
                .containsExactly("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared");
    }
}
