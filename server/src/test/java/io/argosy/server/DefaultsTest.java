package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What objects mean where they say nothing, or nothing that counts. */
class DefaultsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String core;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        core = "/api/v1/namespaces/" + SERVER.namespace() + "/";
    }

    private Reply pod(String spec) {
        return admin.create(core + "pods", "{'metadata':{'name':'p'},'spec':{" + spec + "}}");
    }

    @Test
    void aZeroInAProbeIsNoNumber() {
        Reply made = pod("'containers':[{'name':'c','image':'i','livenessProbe':{'tcpSocket':{'port':80},"
                + "'timeoutSeconds':0,'periodSeconds':0,'successThreshold':0,'failureThreshold':0}}]");
        assertThat(made.at("/spec/containers/0/livenessProbe"))
                .hasToString("{\"tcpSocket\":{\"port\":80},\"timeoutSeconds\":1,\"periodSeconds\":10,"
                        + "\"successThreshold\":1,\"failureThreshold\":3}");
    }

    @Test
    void aConstraintOnSpreadingStaysAsItWasWritten() {
        Reply made = pod("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':"
                + "'DoNotSchedule','labelSelector':{}}],'containers':[{'name':'c','image':'i'}]");
        assertThat(made.at("/spec/topologySpreadConstraints/0"))
                .hasToString("{\"maxSkew\":1,\"topologyKey\":\"z\",\"whenUnsatisfiable\":\"DoNotSchedule\","
                        + "\"labelSelector\":{}}");
    }

    @Test
    void theOlderNameOfTheServiceAccountCountsWhereTheOtherIsEmpty() {
        admin.create(core + "serviceaccounts", "{'metadata':{'name':'robot'}}");
        Reply made = pod("'serviceAccountName':'','serviceAccount':'robot','containers':[{'name':'c','image':'i'}]");
        assertThat(made.at("/spec/serviceAccountName").asText()).isEqualTo("robot");
    }

    @Test
    void aFileWithVariablesMustBeThereUnlessItIsSaidOtherwise() {
        Reply made = pod("'volumes':[{'name':'v','emptyDir':{}}],'containers':[{'name':'c','image':'i','env':["
                + "{'name':'A','valueFrom':{'fileKeyRef':{'key':'A','volumeName':'v','path':'f'}}}]}]");
        assertThat(made.at("/spec/containers/0/env/0/valueFrom/fileKeyRef/optional"))
                .hasToString("false");
    }

    @Test
    void onTheNetworkOfTheNodeEveryPortIsOneOfTheNode() {
        Reply made = pod(
                "'hostNetwork':true,'containers':[{'name':'c','image':'i','ports':[{'containerPort':80,'hostPort':0}]}],"
                        + "'initContainers':[{'name':'d','image':'i','ports':[{'containerPort':81}]}]");
        assertThat(made.at("/spec/containers/0/ports/0/hostPort").asInt()).isEqualTo(80);
        assertThat(made.at("/spec/initContainers/0/ports/0/hostPort").asInt()).isEqualTo(81);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {'limits':{'cpu':'2','memory':'1Gi'}} | {} | {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"2","memory":"1Gi"}}
        {'limits':{'cpu':'2','memory':'1Gi'}} | {'requests':{'cpu':'1'}} | {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}
        {'limits':{'cpu':'2'},'requests':{'cpu':'1500m'}} | {'requests':{'cpu':'1','memory':'1Mi'}} | {"limits":{"cpu":"2"},"requests":{"cpu":"1500m","memory":"1Mi"}}
        {'requests':{'cpu':'2'}} | {'requests':{'memory':'1Mi'}} | {"requests":{"cpu":"2"}}
        """)
    void aPodThatIsLimitedAsAWholeAsksForItAsAWhole(String pod, String container, String expected) {
        Reply made =
                pod("'resources':" + pod + ",'containers':[{'name':'c','image':'i','resources':" + container + "}]");
        assertThat(made.at("/spec/resources")).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'rbd':{'monitors':['m'],'image':'i'} | {"monitors":["m"],"image":"i","pool":"rbd","user":"admin","keyring":"/etc/ceph/keyring"}
        'iscsi':{'targetPortal':'p','iqn':'iqn.2001-04.com.example:s','lun':0} | {"targetPortal":"p","iqn":"iqn.2001-04.com.example:s","lun":0,"iscsiInterface":"default"}
        'azureDisk':{'diskName':'d','diskURI':'https://a'} | {"diskName":"d","diskURI":"https://a","cachingMode":"ReadWrite","fsType":"ext4","readOnly":false,"kind":"Shared"}
        'scaleIO':{'gateway':'g','system':'s','volumeName':'v','secretRef':{'name':'x'}} | {"gateway":"g","system":"s","volumeName":"v","secretRef":{"name":"x"},"storageMode":"ThinProvisioned","fsType":"xfs"}
        """)
    void storageThatSaysLittle(String source, String expected) {
        String kind = source.substring(1, source.indexOf('\'', 1));
        Reply pod = pod("'containers':[{'name':'c','image':'i'}],'volumes':[{'name':'v'," + source + "}]");
        assertThat(pod.at("/spec/volumes/0/" + kind)).hasToString(expected);
        Reply volume = admin.post(
                        "/api/v1/persistentvolumes?dryRun=All",
                        "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1'},'accessModes':['ReadWriteOnce'],"
                                + source + "}}")
                .is(201);
        assertThat(volume.at("/spec/" + kind)).hasToString(expected);
    }

    @Test
    void smallThings() {
        Reply service = admin.create(
                core + "services", "{'metadata':{'name':'s'},'spec':{'ports':[{'port':80,'targetPort':0}]}}");
        assertThat(service.at("/spec/ports/0/targetPort").asInt()).isEqualTo(80);
        String networking = core.replace("/api/v1", "/apis/networking.k8s.io/v1");
        Reply policy = admin.create(
                networking + "networkpolicies",
                "{'metadata':{'name':'n'},'spec':{'podSelector':{},'policyTypes':[],'egress':[{}]}}");
        assertThat(policy.at("/spec/policyTypes")).hasToString("[\"Ingress\",\"Egress\"]");
        Reply ingressClass = admin.create(
                "/apis/networking.k8s.io/v1/ingressclasses",
                "{'metadata':{'name':'c'},'spec':{'controller':'a.example.com/c','parameters':{'kind':'K','name':'n'}}}");
        assertThat(ingressClass.at("/spec/parameters/scope").asText()).isEqualTo("Cluster");
    }
}
