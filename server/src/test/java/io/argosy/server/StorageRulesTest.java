package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server itself sees to in volumes, claims and storage classes. */
class StorageRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String VOLUMES = "/api/v1/persistentvolumes";
    private static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    private static final String ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments";
    private static final String SPEC = "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}";

    private final TestClient admin = SERVER.admin();
    private final String claims = "/api/v1/namespaces/" + SERVER.namespace() + "/persistentvolumeclaims";

    private Reply claim(String name, String spec) {
        return admin.create(claims, "{'metadata':{'name':'" + name + "'},'spec':{" + spec + "}}");
    }

    private Reply patch(String path, String patch) {
        return admin.patch(path, TestClient.MERGE_PATCH, patch);
    }

    @Test
    void newClaimsAndVolumesAreProtectedAndPending() {
        Reply claim = claim("a", SPEC + ",'storageClassName':''");
        assertThat(claim.at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pvc-protection\"]");
        assertThat(claim.at("/status/phase").asText()).isEqualTo("Pending");
        assertThat(claim.at("/spec/storageClassName").asText("none")).isEmpty();
        Reply volume = admin.create(
                VOLUMES,
                "{'metadata':{'name':'protected'},'spec':{'capacity':{'storage':'1Gi'},"
                        + "'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/data'}}}");
        assertThat(volume.at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pv-protection\"]");
        assertThat(volume.at("/spec/persistentVolumeReclaimPolicy").asText()).isEqualTo("Retain");
        Reply attributes = admin.create(
                "/apis/storage.k8s.io/v1/volumeattributesclasses",
                "{'metadata':{'name':'protected'},'driverName':'disk.example.com','parameters':{'iops':'9'}}");
        assertThat(attributes.at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/vac-protection\"]");
    }

    @Test
    void theDefaultClassIsGivenToWhoNamesNone() {
        assertThat(claim("before", SPEC).at("/spec/storageClassName").isMissingNode())
                .isTrue();
        admin.create(
                CLASSES,
                "{'metadata':{'name':'usual','annotations':{'storageclass.kubernetes.io/is-default-class':'true'}},"
                        + "'provisioner':'example.com/disks'}");
        try {
            assertThat(claim("after", SPEC).at("/spec/storageClassName").asText())
                    .isEqualTo("usual");
            assertThat(claim("own", SPEC + ",'storageClassName':'other'")
                            .at("/spec/storageClassName")
                            .asText())
                    .isEqualTo("other");
            Reply given = patch(claims + "/before", "{'spec':{'storageClassName':'usual'}}")
                    .is(200);
            assertThat(given.at("/spec/storageClassName").asText()).isEqualTo("usual");
        } finally {
            admin.delete(CLASSES + "/usual");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'resources':{'requests':{'storage':'1Gi'}} | spec.accessModes: Required value: at least 1 access mode is required
        'accessModes':['ReadWriteOnce'] | spec.resources[storage]: Required value
        'accessModes':['Any'],'resources':{'requests':{'storage':'1Gi'}} | spec.accessModes: Unsupported value: "Any"
        'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'0'}} | spec.resources[storage]: Invalid value: "0": must be greater than zero
        """)
    void aClaimSaysWhatItWants(String spec, String complaint) {
        Reply refused = admin.post(claims, "{'metadata':{'name':'bad'},'spec':{" + spec + "}}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.at("/message").asText()).contains(complaint);
    }

    @Test
    void aClaimStaysAsItWasAskedForUntilItIsBoundAndMayGrow() {
        admin.create(
                CLASSES,
                "{'metadata':{'name':'elastic'},'provisioner':'example.com/disks','allowVolumeExpansion':true}");
        admin.create(CLASSES, "{'metadata':{'name':'rigid'},'provisioner':'example.com/disks'}");
        for (String name : new String[] {"elastic", "rigid"}) {
            claim(name, SPEC + ",'storageClassName':'" + name + "'");
        }
        String growth = "{'spec':{'resources':{'requests':{'storage':'2Gi'}}}}";
        assertThat(patch(claims + "/elastic", "{'spec':{'accessModes':['ReadWriteMany']}}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("spec is immutable after creation except resources.requests and volumeAttributesClassName for"
                        + " bound claims\n"
                        + "@@ -1,6 +1,6 @@\n")
                .contains("\n-  \"ReadWriteOnce\"\n+  \"ReadWriteMany\"\n");
        patch(claims + "/elastic", growth).is(422);
        for (String name : new String[] {"elastic", "rigid"}) {
            patch(claims + "/" + name + "/status", "{'status':{'phase':'Bound','capacity':{'storage':'1Gi'}}}")
                    .is(200);
        }
        patch(claims + "/elastic", growth).is(200);
        assertThat(patch(claims + "/rigid", growth).is(403).at("/message").asText())
                .contains("only dynamically provisioned pvc can be resized");
        assertThat(patch(claims + "/elastic", "{'spec':{'resources':{'requests':{'storage':'512Mi'}}}}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("field can not be less than status.capacity");
    }

    @Test
    void aVolumeHasOneSourceAndKeepsIt() {
        String spec = "'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce']";
        assertThat(volume(spec).at("/message").asText()).contains("spec: Required value: must specify a volume type");
        assertThat(volume(spec + ",'hostPath':{'path':'/a'},'nfs':{'server':'s','path':'/'}")
                        .at("/message")
                        .asText())
                .contains("may not specify more than 1 volume type");
        assertThat(volume(spec + ",'local':{'path':'/a'}").at("/message").asText())
                .contains("spec.nodeAffinity: Required value: Local volume requires node affinity");
        assertThat(volume(spec + ",'rbd':{'monitors':['m'],'image':'i'}").status())
                .isEqualTo(201);
        assertThat(patch(VOLUMES + "/one", "{'spec':{'rbd':{'image':'j'}}}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("spec.persistentvolumesource is immutable after creation\n@@ ")
                .contains("\n-  \"image\": \"i\",\n+  \"image\": \"j\",\n");
    }

    private Reply volume(String spec) {
        return admin.post(VOLUMES, "{'metadata':{'name':'one'},'spec':{" + spec + "}}");
    }

    @Test
    void aStatefulSetMayMountWhatItsClaimTemplatesName() {
        String sets = claims.replace("/api/v1", "/apis/apps/v1").replace("persistentvolumeclaims", "statefulsets");
        String set = "{'metadata':{'name':'%s'},'spec':{'serviceName':'web','selector':{'matchLabels':{'a':'b'}},"
                + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i:1',"
                + "'volumeMounts':[{'name':'%s','mountPath':'/data'}]}]}},"
                + "'volumeClaimTemplates':[{'metadata':{'name':'www'},'spec':{" + SPEC + "}}]}}";
        admin.create(sets, set.formatted("right", "www"));
        assertThat(admin.post(sets, set.formatted("wrong", "other"))
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"other\"");
    }

    @Test
    void aStorageClassKeepsItsProvisioner() {
        admin.create(CLASSES, "{'metadata':{'name':'kept'},'provisioner':'example.com/disks'}");
        assertThat(patch(CLASSES + "/kept", "{'provisioner':'example.com/tapes'}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("provisioner: Forbidden: updates to provisioner are forbidden.");
        assertThat(admin.post(CLASSES, "{'metadata':{'name':'none'}}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("provisioner: Required value");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'nodeName':'n','source':{'persistentVolumeName':'v'} | spec.attacher: Required value
        'attacher':'a b','nodeName':'n','source':{'persistentVolumeName':'v'} | spec.attacher: Invalid value: "a b"
        'attacher':'d','source':{'persistentVolumeName':'v'} | spec.nodeName: Invalid value: ""
        'attacher':'d','nodeName':'n','source':{} | spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName
        'attacher':'d','nodeName':'n','source':{'persistentVolumeName':''} | spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName
        'attacher':'d','nodeName':'n','source':{'persistentVolumeName':'v','inlineVolumeSpec':{}} | spec.source: Forbidden: must specify exactly one
        """)
    void anAttachmentNamesItsVolumeItsNodeAndItsDriver(String spec, String complaint) {
        Reply refused = admin.post(ATTACHMENTS, "{'metadata':{'name':'bad'},'spec':{" + spec + "}}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.at("/message").asText()).contains(complaint);
    }

    @Test
    void anAttachmentIsOfOneVolumeToOneNodeForAsLongAsItLasts() {
        admin.create(
                ATTACHMENTS,
                "{'metadata':{'name':'one'},'spec':{'attacher':'d.example.com','nodeName':'n1',"
                        + "'source':{'persistentVolumeName':'v'}},'status':{'attached':true}}");
        String path = ATTACHMENTS + "/one";
        assertThat(admin.get(path).at("/status/attached").asBoolean()).isFalse();
        Reply refused = patch(path, "{'spec':{'nodeName':'n2'}}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.at("/message").asText())
                .contains("spec: Invalid value")
                .contains("field is immutable");
        assertThat(patch(path + "/status", "{'status':{'attached':true}}")
                        .is(200)
                        .at("/status/attached")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void whatIsToldOfAnAttachmentHasItsLimits() {
        admin.create(
                ATTACHMENTS,
                "{'metadata':{'name':'told'},'spec':{'attacher':'d.example.com','nodeName':'n1',"
                        + "'source':{'persistentVolumeName':'v'}}}");
        String status = ATTACHMENTS + "/told/status";
        String large = "x".repeat(256 << 10);
        assertThat(patch(status, "{'status':{'attached':true,'attachmentMetadata':{'k':'" + large + "'}}}")
                        .is(422)
                        .message())
                .contains("status.attachmentMetadata: Too long: may not be more than 262144 bytes");
        String error = "{'message':'" + "x".repeat(1025) + "','errorCode':-1}";
        assertThat(patch(status, "{'status':{'attached':true,'attachError':" + error + ",'detachError':" + error + "}}")
                        .is(422)
                        .message())
                .contains("status.attachError.message: Too long: may not be more than 262144 bytes")
                .contains(
                        "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive")
                .contains("status.detachError.message: Too long");
        patch(status, "{'status':{'attached':true,'attachError':{'message':'" + "x".repeat(1024) + "','errorCode':5}}}")
                .is(200);
    }
}
