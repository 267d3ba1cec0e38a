package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.server.TestClient.Reply;
import java.util.List;
import java.util.Map;
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
            "HorizontalPodAutoscaler", "{'maxReplicas':2,'scaleTargetRef':{'kind':'Deployment','name':'web'}}",
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
            "'provisioner':'example.com/disks'");

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
        String version = type.groupVersion().toString();
        String path = (type.group().isEmpty() ? "/api/" : "/apis/") + version
                + (type.namespaced() ? "/namespaces/" + SERVER.namespace() : "") + "/" + type.plural();
        String spec = SPECS.containsKey(type.kind())
                ? ",'spec':" + SPECS.get(type.kind())
                : Stream.of(FIELDS, REFERENCES, POLICIES)
                        .filter(some -> some.containsKey(type.kind()))
                        .map(some -> "," + some.get(type.kind()))
                        .findFirst()
                        .orElse("");
        String name = type.kind().equals("IPAddress") ? "10.9.8.7" : "every-" + version.replaceAll("[^a-z0-9]", "-");
        Reply created = admin.create(
                path,
                "{'kind':'" + type.kind() + "','apiVersion':'" + version + "','metadata':{'name':'" + name + "'}" + spec
                        + "}");
        assertThat(created.at("/kind").asText()).isEqualTo(type.kind());
        assertThat(created.at("/apiVersion").asText()).isEqualTo(version);
        assertThat(admin.get(path + "/" + name).is(200).at("/metadata/uid")).isEqualTo(created.at("/metadata/uid"));
        Reply list = admin.get(path).is(200);
        assertThat(list.at("/kind").asText()).isEqualTo(type.kind() + "List");
        assertThat(list.names()).contains(name);
        assertThat(List.of(200, 202)).contains(admin.delete(path + "/" + name).status());
    }
}
