package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Timeout;

/** The small loops that nobody thinks of come to the same end, too, whatever goes wrong on the way. */
@ArgosyTest
@Timeout(300)
class HousekeepingInTroubleTest extends TroubledLoops {
    HousekeepingInTroubleTest(Cluster cluster, KubernetesClient client) {
        super(cluster, client);
    }

    @InTrouble
    void everyNamespaceHasItsAccountAndTheAuthorityAndGetsThemBack(Trouble trouble) {
        begin(trouble, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
        until("both are there", this::isFurnished);
        client.serviceAccounts().inNamespace("shop").withName("default").delete();
        client.configMaps().inNamespace("shop").withName("kube-root-ca.crt").delete();
        until("both are there again", this::isFurnished);
    }

    private boolean isFurnished() {
        var authority = client.configMaps()
                .inNamespace("shop")
                .withName("kube-root-ca.crt")
                .get();
        return authority != null
                && authority.getData().get("ca.crt").startsWith("-----BEGIN CERTIFICATE")
                && client.serviceAccounts()
                                .inNamespace("shop")
                                .withName("default")
                                .get()
                        != null;
    }

    @InTrouble
    void aRoleMadeOfOthersAllowsWhatTheyDo(Trouble trouble) {
        begin(trouble, """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: monitoring}
            aggregationRule: {clusterRoleSelectors: [{matchLabels: {monitoring: "true"}}]}
            """, part("pods"), part("nodes"));
        until("both", () -> allowed().equals(Set.of("pods", "nodes")));
        client.resources(ClusterRole.class).withName("part-pods").delete();
        until("one", () -> allowed().equals(Set.of("nodes")));
    }

    private static String part(String resource) {
        return """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: part-%1$s, labels: {monitoring: "true"}}
            rules: [{apiGroups: [""], resources: [%1$s], verbs: [get]}]
            """.formatted(resource);
    }

    private Set<String> allowed() {
        Set<String> allowed = new TreeSet<>();
        client.resources(ClusterRole.class)
                .withName("monitoring")
                .get()
                .getRules()
                .forEach(rule -> allowed.addAll(rule.getResources()));
        return allowed;
    }

    @InTrouble
    void aFinishedJobGoesWithItsPodsWhenItsTimeIsUp(Trouble trouble) {
        cluster.image("busybox").exits(Duration.ofSeconds(5), 0);
        begin(trouble, """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: once}
            spec:
              ttlSecondsAfterFinished: 60
              template:
                spec: {restartPolicy: Never, containers: [{name: once, image: busybox}]}
            """);
        until(
                "done",
                () -> client.batch()
                                .v1()
                                .jobs()
                                .withName("once")
                                .get()
                                .getStatus()
                                .getCompletionTime()
                        != null);
        until(
                "gone",
                () -> client.batch().v1().jobs().withName("once").get() == null
                        && client.pods().list().getItems().isEmpty());
    }

    @InTrouble
    void handWrittenEndpointsHaveOneSliceUntilTheyGo(Trouble trouble) {
        begin(trouble, """
            apiVersion: v1
            kind: Service
            metadata: {name: db}
            spec: {ports: [{port: 3306}]}
            """, """
            apiVersion: v1
            kind: Endpoints
            metadata: {name: db}
            subsets: [{addresses: [{ip: 192.0.2.1}, {ip: 192.0.2.2}], ports: [{port: 3306}]}]
            """);
        until(
                "mirrored",
                () -> mirrors().size() == 1
                        && mirrors().getFirst().getEndpoints().size() == 2);
        client.endpoints().withName("db").delete();
        until("gone", () -> mirrors().isEmpty());
    }

    private List<EndpointSlice> mirrors() {
        return client.discovery()
                .v1()
                .endpointSlices()
                .withLabel("kubernetes.io/service-name", "db")
                .list()
                .getItems();
    }

    @InTrouble
    void aClaimAndItsVolumeFindKeepAndLoseEachOther(Trouble trouble) {
        begin(trouble, """
            apiVersion: storage.k8s.io/v1
            kind: VolumeAttributesClass
            metadata: {name: gold}
            driverName: disk.example.com
            parameters: {iops: "9000"}
            """, """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: disk}
            spec:
              capacity: {storage: 5Gi}
              accessModes: [ReadWriteOnce]
              storageClassName: ""
              volumeAttributesClassName: gold
              csi: {driver: disk.example.com, volumeHandle: "1"}
            """, """
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassName: ""
              volumeAttributesClassName: gold
              resources: {requests: {storage: 1Gi}}
            """);
        until(
                "bound",
                () -> "Bound".equals(phase(claim()))
                        && "Bound".equals(volume().getStatus().getPhase()));
        assertThat(volume().getSpec().getClaimRef().getUid())
                .isEqualTo(claim().getMetadata().getUid());
        client.resources(VolumeAttributesClass.class).withName("gold").delete();
        client.persistentVolumes().withName("disk").delete(); // is protected as long as it is bound
        cluster.advance(Duration.ofSeconds(5));
        assertThat(volume()).isNotNull();
        client.persistentVolumeClaims().withName("data").delete();
        until(
                "all are gone",
                () -> claim() == null
                        && volume() == null
                        && client.resources(VolumeAttributesClass.class)
                                        .withName("gold")
                                        .get()
                                == null);
    }

    private PersistentVolumeClaim claim() {
        return client.persistentVolumeClaims().withName("data").get();
    }

    private static String phase(PersistentVolumeClaim claim) {
        return claim.getStatus() == null ? null : claim.getStatus().getPhase();
    }

    private PersistentVolume volume() {
        return client.persistentVolumes().withName("disk").get();
    }

    @InTrouble
    void thePodsOfANodeThatIsGoneAreCollected(Trouble trouble) {
        begin(trouble, """
            apiVersion: v1
            kind: Pod
            metadata: {name: alone}
            spec: {nodeName: n2, containers: [{name: c, image: nginx}]}
            """);
        until("runs", () -> Pods.isReady(client.pods().withName("alone").get()));
        cluster.failNode("n2");
        client.resources(Node.class).withName("n2").delete();
        for (int minute = 0; minute < 3; minute++) { // who starts anew gives a missing node its forty seconds
            trouble.strike(cluster);
            cluster.advance(Duration.ofMinutes(1));
        }
        until("gone", () -> client.pods().withName("alone").get() == null);
    }
}
