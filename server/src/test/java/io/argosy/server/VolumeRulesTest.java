package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What volumes, claims, classes and drivers may not say, and what of them may change. */
class VolumeRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final Map<String, String> PLAIN = Map.of(
            "persistentvolumes",
            "'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce']%s}",
            "persistentvolumeclaims",
            "'spec':{'resources':{'requests':{'storage':'1Gi'}},'accessModes':['ReadWriteOnce']%s}",
            "storageclasses",
            "'provisioner':'example.com/disks'%s",
            "volumeattributesclasses",
            "'driverName':'d.example.com'%s",
            "csidrivers",
            "'spec':{'podInfoOnMount':true%s}");

    private final TestClient admin = SERVER.admin();
    private final String namespace = SERVER.namespace();

    private String path(String kind) {
        return switch (kind) {
            case "persistentvolumes" -> "/api/v1/" + kind;
            case "persistentvolumeclaims" -> "/api/v1/namespaces/" + namespace + "/" + kind;
            default -> "/apis/storage.k8s.io/v1/" + kind;
        };
    }

    private Reply post(String kind, String name, String more) {
        return admin.post(
                path(kind),
                "{'metadata':{'name':'" + name + "'}," + PLAIN.get(kind).formatted("," + more) + "}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        persistentvolumes | 'hostPath':{'path':'/a','type':'Odd'} | spec.hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"
        persistentvolumes | 'hostPath':{'path':'/a'},'storageClassName':'a b' | spec.storageClassName: Invalid value: "a b": a lowercase RFC 1123 subdomain
        persistentvolumes | 'hostPath':{'path':'/a'},'volumeMode':'Odd' | spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"
        persistentvolumes | 'hostPath':{'path':'//.'},'persistentVolumeReclaimPolicy':'Recycle' | spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'
        persistentvolumes | 'hostPath':{'path':'/a'},'volumeAttributesClassName':'fast' | spec.csi: Required value: has to be specified when using volumeAttributesClassName
        persistentvolumes | 'csi':{'driver':'d','volumeHandle':'h'},'volumeAttributesClassName':'' | spec.volumeAttributesClassName: Required value: an empty string is disallowed
        persistentvolumes | 'hostPath':{'path':'/a'},'nodeAffinity':{} | spec.nodeAffinity.required: Required value: must specify required node constraints
        persistentvolumes | 'hostPath':{'path':'/a'},'nodeAffinity':{'required':{'nodeSelectorTerms':[]}} | spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term
        persistentvolumes | 'hostPath':{'path':'/a'},'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'Near'}]}]}} | spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator
        persistentvolumes | 'csi':{'volumeHandle':'h'} | spec.csi.driver: Required value
        persistentvolumes | 'csi':{'driver':'d'} | spec.csi.volumeHandle: Required value
        persistentvolumes | 'csi':{'driver':'d','volumeHandle':'h','nodePublishSecretRef':{'name':'s'}} | spec.csi.nodePublishSecretRef.namespace: Required value
        persistentvolumes | 'nfs':{'server':'s','path':'a'} | spec.nfs.path: Invalid value: "a": must be an absolute path
        persistentvolumes | 'rbd':{'monitors':[],'image':'i'} | spec.rbd.monitors: Required value
        persistentvolumes | 'iscsi':{'targetPortal':'p','iqn':'odd','lun':1} | spec.iscsi.iqn: Invalid value: "odd": must be valid format
        persistentvolumes | 'iscsi':{'targetPortal':'p','iqn':'iqn.2001-04.com.example:storage','lun':256} | spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive
        persistentvolumes | 'fc':{'targetWWNs':['a']} | spec.fc.lun: Required value: lun is required if targetWWNs is specified
        persistentvolumes | 'awsElasticBlockStore':{'volumeID':'v','partition':256} | spec.awsElasticBlockStore.partition: Invalid value: 256: must be between 1 and 255, inclusive
        persistentvolumes | 'azureDisk':{'diskName':'d','diskURI':'u','kind':'Managed'} | spec.azureDisk.diskURI: Unsupported value: "u": supported values: "/subscriptions/{sub-id}
        persistentvolumes | 'flexVolume':{'driver':'d','options':{'a.k8s.io/b':'c'}} | spec.flexVolume.options[a.k8s.io/b]: Invalid value: "a.k8s.io/b": kubernetes.io and k8s.io namespaces are reserved
        persistentvolumeclaims | 'selector':{'matchExpressions':[{'key':'a','operator':'Near'}]} | spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator
        persistentvolumeclaims | 'dataSource':{'kind':'PersistentVolumeClaim','name':'a'},'dataSourceRef':{'kind':'PersistentVolumeClaim','name':'b'} | spec: Invalid value: "spec.dataSource": must match dataSourceRef
        persistentvolumeclaims | 'volumeAttributesClassName':'a b' | spec.volumeAttributesClassName: Invalid value: "a b": a lowercase RFC 1123 subdomain
        storageclasses | 'provisioner':'a b' | provisioner: Invalid value: "a b": name part must consist of alphanumeric characters
        storageclasses | 'parameters':{'':'a'} | parameters: Invalid value: "": field can not be empty.
        storageclasses | 'reclaimPolicy':'Recycle' | reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"
        storageclasses | 'allowedTopologies':[{'matchLabelExpressions':[{'key':'zone','values':[]}]}] | allowedTopologies[0].matchLabelExpressions[0].values: Required value
        storageclasses | 'allowedTopologies':[{'matchLabelExpressions':[{'key':'zone','values':['a','a']}]}] | allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"
        storageclasses | 'allowedTopologies':[{'matchLabelExpressions':[{'key':'zone','values':['a','b']}]},{'matchLabelExpressions':[{'key':'zone','values':['b','a']}]}] | allowedTopologies[1].matchLabelExpressions: Duplicate value: ""
        volumeattributesclasses | 'parameters':{} | parameters: Required value: must contain at least one key/value pair
        csidrivers | 'fsGroupPolicy':'Odd' | spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"
        csidrivers | 'volumeLifecycleModes':['Odd'] | spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"
        csidrivers | 'tokenRequests':[{'audience':'a'},{'audience':'a'}] | spec.tokenRequests[1].audience: Duplicate value: "a"
        csidrivers | 'tokenRequests':[{'audience':'a','expirationSeconds':1}] | spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes
        csidrivers | 'nodeAllocatableUpdatePeriodSeconds':9 | spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds
        """)
    void whatDoesNotFitIsRefused(String kind, String more, String cause) {
        Reply refused = more.startsWith("'provisioner'")
                ? admin.post(path(kind), "{'metadata':{'name':'bad'}," + more + "}")
                : post(kind, "bad", more);
        assertThat(refused.causes()).singleElement().asString().startsWith(cause);
    }

    @Test
    void longTextsAreReadToTheirEnd() {
        assertThat(post(
                                "persistentvolumes",
                                "bad",
                                "'hostPath':{'path':'" + "/".repeat(500_000)
                                        + "'},'persistentVolumeReclaimPolicy':'Recycle'")
                        .causes())
                .containsExactly(
                        "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of"
                                + " '/'");
        post("persistentvolumes", "far", "'quobyte':{'volume':'v','registry':'a:1" + ",a:1".repeat(100_000) + "'}")
                .is(201);
    }

    @Test
    void aClaimIsFilledFromWhatEitherFieldNames() {
        Reply old = post("persistentvolumeclaims", "old", "'dataSource':{'kind':'PersistentVolumeClaim','name':'a'}")
                .is(201);
        assertThat(old.at("/spec/dataSourceRef")).isEqualTo(old.at("/spec/dataSource"));
        Reply now = post(
                        "persistentvolumeclaims",
                        "now",
                        "'dataSourceRef':{'apiGroup':'x.example.com','kind':'Backup','name':'a'}")
                .is(201);
        assertThat(now.at("/spec/dataSource")).isEqualTo(now.at("/spec/dataSourceRef"));
        Reply unserved = post(
                        "persistentvolumeclaims",
                        "unserved",
                        "'dataSource':{'apiGroup':'x.example.com','kind':'Backup','name':'a'}")
                .is(201);
        assertThat(unserved.at("/spec").has("dataSource")).isFalse();
        String wrong =
                ": Invalid value: \"Odd\": must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        assertThat(post("persistentvolumeclaims", "odd", "'dataSourceRef':{'kind':'Odd','name':'n'}")
                        .causes())
                .containsExactly("spec.dataSource" + wrong, "spec.dataSourceRef" + wrong);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        persistentvolumes | 'hostPath':{'path':'/a'} | 'spec':{'volumeMode':'Block'} | volumeMode: Invalid value: "Block": field is immutable
        persistentvolumes | 'hostPath':{'path':'/a'},'nodeAffinity':{'required':{'nodeSelectorTerms':[{}]}} | 'spec':{'nodeAffinity':null} | nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA
        persistentvolumes | 'csi':{'driver':'d','volumeHandle':'h'},'volumeAttributesClassName':'a' | 'spec':{'volumeAttributesClassName':null} | spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden
        persistentvolumes | 'csi':{'driver':'d','volumeHandle':'h'} | 'spec':{'csi':{'volumeHandle':'i'}} | spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
        persistentvolumes | 'csi':{'driver':'d','volumeHandle':'h'} | 'spec':{'csi':{'controllerExpandSecretRef':{'name':'s','namespace':'n'}}} | ~~
        persistentvolumes | 'hostPath':{'path':'/a'} | 'spec':{'nodeAffinity':{'required':{'nodeSelectorTerms':[{}]}}} | ~~
        volumeattributesclasses | 'parameters':{'a':'b'} | 'parameters':{'a':'c'} | parameters: Forbidden: updates to parameters are forbidden.
        volumeattributesclasses | 'parameters':{'a':'b'} | 'driverName':'e.example.com' | driverName: Forbidden: updates to driverName are forbidden.
        csidrivers | 'attachRequired':true | 'spec':{'attachRequired':false} | spec.attachedRequired: Invalid value: false: field is immutable
        csidrivers | 'attachRequired':true | 'spec':{'volumeLifecycleModes':['Ephemeral']} | spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable
        csidrivers | 'attachRequired':true | 'spec':{'requiresRepublish':true} | ~~
        """)
    void whatChangesAndWhatDoesNot(String kind, String more, String patch, String cause) {
        post(kind, "one", more).is(201);
        Reply changed = admin.patch(path(kind) + "/one", TestClient.MERGE_PATCH, "{" + patch + "}");
        admin.delete(path(kind) + "/one");
        if (!kind.equals("csidrivers")) { // the others wait for whoever protects them
            admin.patch(path(kind) + "/one", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                    .is(200);
        }
        if (cause.isEmpty()) {
            changed.is(200);
        } else {
            assertThat(changed.causes())
                    .singleElement()
                    .satisfies(said -> assertThat(said.lines().findFirst()).contains(cause));
        }
    }
}
