package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.podOf;
import static io.argosy.scheduler.Objects.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What CSI drivers and disks allow a node. */
class DriversTest {
    private static final String FULL = "0/1 nodes are available: 1 node(s) exceed max volume count. ";

    private final Board board = new Board();

    @BeforeEach
    void oneNodeWithADriver() {
        board.nodes(labelled("n1", "zone: a"));
        board.storageClass(yaml(
                StorageClass.class,
                "{metadata: {name: fast}, provisioner: disk.example.com, volumeBindingMode: WaitForFirstConsumer}"));
    }

    @Test
    void aNodeGetsNoMoreVolumesThanItsDriverAllows() {
        limit(2);
        for (String name : new String[] {"a", "b", "c"}) {
            bound(name, "disk.example.com");
        }
        board.place("n1", mounting("p1", "a"), mounting("p2", "b"));
        assertThat(board.choose(mounting("p3", "c"))).startsWith(FULL);
        assertThat(board.choose(mounting("p3", "b"))).as("is there already").isEqualTo("n1");
        Pod vip = mounting("p3", "c");
        vip.getSpec().setPriority(10);
        assertThat(board.choose(vip)).matches("evict \\[p[12]] from n1");
    }

    @Test
    void onlyTheVolumesOfThatDriverCount() {
        limit(1);
        bound("a", "other.example.com");
        bound("b", "disk.example.com");
        board.place("n1", mounting("p1", "a"));
        assertThat(board.choose(mounting("p2", "b"))).isEqualTo("n1");
    }

    @Test
    void volumesThatAreStillToBeMadeCount() {
        limit(1);
        waiting("a", "1Gi");
        bound("b", "disk.example.com");
        assertThat(board.choose(mounting("p1", "a"))).isEqualTo("n1");
        board.place("n1", mounting("p2", "b"));
        assertThat(board.choose(mounting("p1", "a"))).startsWith(FULL);
    }

    @Test
    void volumesThatAreStillAttachedCount() {
        limit(1);
        bound("a", "disk.example.com");
        bound("b", "disk.example.com");
        board.driver(yaml(
                VolumeAttachment.class,
                "{metadata: {name: left}, spec: {attacher: disk.example.com, nodeName: n1, source:"
                        + " {persistentVolumeName: pv-a}}}"));
        assertThat(board.choose(mounting("p1", "b"))).startsWith(FULL);
        assertThat(board.choose(mounting("p1", "a"))).isEqualTo("n1");
    }

    /** What is known of the room for new volumes, and whether one of 5Gi finds a place. */
    @ParameterizedTest(name = "driver tells {0}, {1} for {2} from {3}: {4}")
    @CsvSource({
        "true, capacity: 10Gi, fast, a, true",
        "true, capacity: 1Gi, fast, a, false",
        "true, 'capacity: 10Gi, maximumVolumeSize: 2Gi', fast, a, false",
        "true, capacity: 10Gi, slow, a, false",
        "true, capacity: 10Gi, fast, b, false",
        "false, capacity: 1Gi, fast, a, true"
    })
    void aNewVolumeGoesWhereThereIsRoomForIt(
            boolean tells, String room, String storageClass, String zone, boolean fits) {
        waiting("data", "5Gi");
        board.driver(
                yaml(CSIDriver.class, "{metadata: {name: disk.example.com}, spec: {storageCapacity: " + tells + "}}"));
        board.driver(yaml(
                CSIStorageCapacity.class,
                "{metadata: {name: c, namespace: default}, storageClassName: " + storageClass
                        + ", nodeTopology: {matchLabels: {zone: " + zone + "}}, " + room + "}"));
        String chosen = board.choose(mounting("p", "data"));
        if (fits) {
            assertThat(chosen).isEqualTo("n1");
        } else {
            assertThat(chosen).startsWith("0/1 nodes are available: 1 node(s) did not have enough free storage. ");
        }
    }

    @Test
    void whereADriverTellsAndNothingIsKnownThereIsNoRoom() {
        waiting("data", "5Gi");
        board.driver(yaml(CSIDriver.class, "{metadata: {name: disk.example.com}, spec: {storageCapacity: true}}"));
        assertThat(board.choose(mounting("p", "data"))).contains("1 node(s) did not have enough free storage");
    }

    @ParameterizedTest(name = "{0} beside {1}: {2}")
    @CsvSource({
        "'gcePersistentDisk: {pdName: d}', 'gcePersistentDisk: {pdName: d}', false",
        "'gcePersistentDisk: {pdName: d}', 'gcePersistentDisk: {pdName: e}', true",
        "'gcePersistentDisk: {pdName: d, readOnly: true}', 'gcePersistentDisk: {pdName: d, readOnly: true}', true",
        "'gcePersistentDisk: {pdName: d, readOnly: true}', 'gcePersistentDisk: {pdName: d}', false",
        "'awsElasticBlockStore: {volumeID: d, readOnly: true}', 'awsElasticBlockStore: {volumeID: d, readOnly: true}',"
                + " false",
        "'awsElasticBlockStore: {volumeID: d}', 'awsElasticBlockStore: {volumeID: e}', true",
        "'iscsi: {targetPortal: p, iqn: i, lun: 0}', 'iscsi: {targetPortal: q, iqn: i, lun: 1}', false",
        "'iscsi: {targetPortal: p, iqn: i, lun: 0}', 'iscsi: {targetPortal: p, iqn: j, lun: 0}', true",
        "'rbd: {monitors: [m, n], image: i}', 'rbd: {monitors: [n], image: i, pool: rbd}', false",
        "'rbd: {monitors: [m], image: i}', 'rbd: {monitors: [n], image: i}', true",
        "'rbd: {monitors: [m], image: i, pool: p}', 'rbd: {monitors: [m], image: i}', true",
        "'gcePersistentDisk: {pdName: d}', 'awsElasticBlockStore: {volumeID: d}', true",
        "'emptyDir: {}', 'emptyDir: {}', true"
    })
    void aDiskIsMountedForOnePodOfANode(String wanted, String present, boolean fits) {
        board.place("n1", podOf("first", "", "volumes: [{name: v, " + present + "}]"));
        String chosen = board.choose(podOf("p", "", "volumes: [{name: v, " + wanted + "}]"));
        if (fits) {
            assertThat(chosen).isEqualTo("n1");
        } else {
            assertThat(chosen).startsWith("0/1 nodes are available: 1 node(s) had no available disk. ");
        }
    }

    private void limit(int count) {
        board.driver(yaml(
                CSINode.class,
                "{metadata: {name: n1}, spec: {drivers: [{name: disk.example.com, nodeID: n1, allocatable: {count: "
                        + count + "}}]}}"));
    }

    private void bound(String name, String driver) {
        board.claim(yaml(
                PersistentVolumeClaim.class,
                "{metadata: {name: " + name + ", namespace: default, uid: uid-" + name + "}, spec: {volumeName: pv-"
                        + name + "}, status: {phase: Bound}}"));
        board.volume(yaml(
                PersistentVolume.class,
                "{metadata: {name: pv-" + name + "}, spec: {csi: {driver: " + driver + ", volumeHandle: h-" + name
                        + "}}}"));
    }

    private void waiting(String name, String size) {
        board.claim(yaml(
                PersistentVolumeClaim.class,
                "{metadata: {name: " + name + ", namespace: default, uid: uid-" + name
                        + "}, spec: {storageClassName: fast, resources: {requests: {storage: " + size + "}}}}"));
    }

    private static Pod mounting(String name, String claim) {
        return podOf(name, "", "volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim + "}}]");
    }
}
