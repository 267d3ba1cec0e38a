package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.server.TestClient.Reply;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every built-in kind, in every version it is served in, is kept as data by the one registry. */
class EveryKindTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String POD = "{'containers':[{'name':'c','image':'i:1'}]}";
    private static final String TEMPLATE = "'template':{'metadata':{'labels':{'a':'b'}},'spec':" + POD + "}";
    private static final String ONCE =
            "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i:1'}]}}";

    /** What a kind must say at the least; most need say nothing. */
    private static final Map<String, String> SPECS = Map.of(
            "Pod", POD,
            "Service", "{'ports':[{'port':80}]}",
            "ReplicationController", "{" + TEMPLATE + "}",
            "Deployment", "{'selector':{'matchLabels':{'a':'b'}}," + TEMPLATE + "}",
            "ReplicaSet", "{'selector':{'matchLabels':{'a':'b'}}," + TEMPLATE + "}",
            "StatefulSet", "{'serviceName':'s','selector':{'matchLabels':{'a':'b'}}," + TEMPLATE + "}",
            "DaemonSet", "{'selector':{'matchLabels':{'a':'b'}}," + TEMPLATE + "}",
            "HorizontalPodAutoscaler",
                    "{'maxReplicas':2,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'web'}}",
            "Job", "{" + ONCE + "}",
            "CronJob", "{'schedule':'* * * * *','jobTemplate':{'spec':{" + ONCE + "}}}");

    /** The same for other kinds, as fields of the object itself. */
    private static final Map<String, String> FIELDS = Map.of(
            "FlowSchema",
            "'spec':{'priorityLevelConfiguration':{'name':'global-default'}}",
            "PriorityLevelConfiguration",
            "'spec':{'type':'Limited','limited':{'limitResponse':{'type':'Reject'}}}",
            "PersistentVolume",
            "'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/data'}}",
            "PersistentVolumeClaim",
            "'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}",
            "StorageClass",
            "'provisioner':'example.com/disks'",
            "VolumeAttributesClass",
            "'driverName':'disks.example.com','parameters':{'speed':'high'}",
            "PodTemplate",
            TEMPLATE,
            "VolumeAttachment",
            "'spec':{'attacher':'disks.example.com','nodeName':'n','source':{'persistentVolumeName':'v'}}");

    /** The same for those of networks and rights. */
    private static final Map<String, String> REFERENCES = Map.of(
            "RoleBinding",
            "'roleRef':{'kind':'Role','name':'r'}",
            "ClusterRoleBinding",
            "'roleRef':{'kind':'ClusterRole','name':'r'}",
            "EndpointSlice",
            "'addressType':'IPv4','endpoints':[]",
            "Ingress",
            "'spec':{'rules':[{'host':'example.com'}]}",
            "IngressClass",
            "'spec':{'controller':'example.com/c'}",
            "RuntimeClass",
            "'handler':'runc'",
            "IPAddress",
            "'spec':{'parentRef':{'resource':'services','name':'s'}}",
            "ServiceCIDR",
            "'spec':{'cidrs':['10.20.0.0/24']}");

    private static final String CONSTRAINTS = "'matchConstraints':{'resourceRules':[{'operations':['CREATE'],"
            + "'apiGroups':['none.example.com'],'apiVersions':['v1'],'resources':['nothings']}]}";

    /** The same for policies, what puts them into effect, and presets. */
    private static final Map<String, String> POLICIES = Map.of(
            "ValidatingAdmissionPolicy",
            "'spec':{" + CONSTRAINTS + ",'validations':[{'expression':'true'}]}",
            "ValidatingAdmissionPolicyBinding",
            "'spec':{'policyName':'p','validationActions':['Deny']}",
            "MutatingAdmissionPolicy",
            "'spec':{" + CONSTRAINTS + ",'reinvocationPolicy':'Never','mutations':[{'patchType':'ApplyConfiguration',"
                    + "'applyConfiguration':{'expression':'Object{}'}}]}",
            "MutatingAdmissionPolicyBinding",
            "'spec':{'policyName':'p'}",
            "PodPreset",
            "'spec':{'env':[{'name':'A','value':'b'}]}");

    /** The same for what is written down by controllers, each in its namespace; events say it in the words of their version. */
    private static final Map<String, String> RECORDS = Map.of(
            "ControllerRevision",
            "'revision':1,'data':{}",
            "CSIStorageCapacity",
            "'storageClassName':'fast'",
            "ResourceSlice",
            "'spec':{'driver':'d.example.com','allNodes':true,'pool':{'name':'p','generation':1,'resourceSliceCount':1}}",
            "v1 Event",
            "'involvedObject':{'kind':'Pod','name':'p','namespace':'NAMESPACE'}",
            "events.k8s.io/v1 Event",
            "'regarding':{'kind':'Pod','name':'p','namespace':'NAMESPACE'},'eventTime':'2026-01-01T00:00:00.000000Z','type':'Normal',"
                    + "'reportingController':'c','reportingInstance':'i','action':'A','reason':'R'");

    private static final Set<String> MADE_BY_PUT = Set.of(
            "Service",
            "Role",
            "ClusterRole",
            "RoleBinding",
            "ClusterRoleBinding",
            "RuntimeClass",
            "Lease",
            "LimitRange",
            "Event",
            "Endpoints");

    private static final Set<String> NEVER_PUT_BLINDLY = Set.of(
            "Lease",
            "PodDisruptionBudget",
            "RuntimeClass",
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "CSIDriver",
            "CSINode",
            "CSIStorageCapacity",
            "VolumeAttachment");

    private static final Set<String> SHOWN_WHEN_GONE = Set.of(
            "Pod",
            "Service",
            "ServiceAccount",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "PodTemplate",
            "ResourceQuota",
            "StorageClass",
            "CSIDriver",
            "CSINode",
            "VolumeAttachment",
            "VolumeAttributesClass",
            "DeviceClass",
            "ResourceClaim",
            "ResourceClaimTemplate",
            "ResourceSlice");

    private static final Set<String> ELSEWHERE =
            Set.of("APIService", "CustomResourceDefinition", "CertificateSigningRequest");

    /** Registrations of API servers, definitions of custom resources and requests for certificates have tests of their own: what they say must fit together. */
    static Stream<ResourceType> kept() {
        return ResourceTypes.builtIn().all().stream()
                .filter(type -> type.can("list") && type.can("create"))
                .filter(type -> !ELSEWHERE.contains(type.kind()));
    }

    @ParameterizedTest
    @MethodSource("kept")
    void isCreatedReadListedAndDeleted(ResourceType type) {
        TestClient admin = SERVER.admin();
        Example example = Example.of(type, "kept");
        Reply created = admin.create(example.path(), example.json());
        assertThat(created.at("/kind").asText()).isEqualTo(type.kind());
        assertThat(created.at("/apiVersion").asText())
                .isEqualTo(type.groupVersion().toString());
        assertThat(admin.get(example.url()).is(200).at("/metadata/uid")).isEqualTo(created.at("/metadata/uid"));
        Reply list = admin.get(example.path()).is(200);
        assertThat(list.at("/kind").asText()).isEqualTo(type.kind() + "List");
        assertThat(list.names()).contains(example.name());
        assertThat(List.of(200, 202)).contains(admin.delete(example.url()).status());
    }

    @ParameterizedTest
    @MethodSource("kept")
    void isPutAndDeletedInTheMannerOfItsKind(ResourceType type) {
        TestClient admin = SERVER.admin();
        Example example = Example.of(type, "put");
        Reply first = admin.put(example.url(), example.json());
        assertThat(first.status()).isEqualTo(MADE_BY_PUT.contains(type.kind()) ? 201 : 404);
        if (first.status() == 404) {
            admin.create(example.path(), example.json());
        }
        String blind = admin.put(example.url(), example.json()).message();
        String refusal = type.groupResource() + " \"" + example.name()
                + "\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update";
        assertThat(blind.equals(refusal)).as(blind).isEqualTo(NEVER_PUT_BLINDLY.contains(type.kind()));
        Reply deleted = admin.delete(example.url() + "?propagationPolicy=Background");
        boolean gone = admin.get(example.url()).status() == 404;
        assertThat(deleted.at("/kind").asText())
                .isEqualTo(gone && !SHOWN_WHEN_GONE.contains(type.kind()) ? "Status" : type.kind());
    }

    /** The least that can be written of a kind, and where. */
    private record Example(String path, String name, String json) {
        static Example of(ResourceType type, String prefix) {
            String version = type.groupVersion().toString();
            String namespace = type.namespaced() ? SERVER.namespace() : "";
            String path = (type.group().isEmpty() ? "/api/" : "/apis/") + version
                    + (type.namespaced() ? "/namespaces/" + namespace : "") + "/" + type.plural();
            String spec = SPECS.containsKey(type.kind())
                    ? ",'spec':" + SPECS.get(type.kind())
                    : Stream.of(FIELDS, REFERENCES, POLICIES, RECORDS)
                            .flatMap(some -> Stream.of(some.get(type.kind()), some.get(version + " " + type.kind())))
                            .filter(Objects::nonNull)
                            .map(some -> "," + some.replace("NAMESPACE", namespace))
                            .findFirst()
                            .orElse("");
            String name =
                    type.kind().equals("IPAddress") ? "10.9.8.7" : prefix + "-" + version.replaceAll("[^a-z0-9]", "-");
            String json = "{'kind':'" + type.kind() + "','apiVersion':'" + version + "','metadata':{'name':'" + name
                    + "'}" + spec + "}";
            return new Example(path, name, json);
        }

        String url() {
            return path + "/" + name;
        }
    }
}
