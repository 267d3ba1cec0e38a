package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.labelled;
import static io.argosy.scheduler.Objects.podOf;
import static io.argosy.scheduler.Objects.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.volume.VolumePlan;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumesTest {
    private static final String NOT_HELPFUL =
            " no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for"
                    + " scheduling.";

    private final Board board = new Board();

    @BeforeEach
    void twoNodesAndThreeClasses() {
        board.nodes(labelled("n1", "topology.kubernetes.io/zone: a"), labelled("n2", "topology.kubernetes.io/zone: b"));
        board.storageClass(storageClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer", ""));
        board.storageClass(storageClass("dynamic", "example.com/disk", "WaitForFirstConsumer", ""));
        board.storageClass(storageClass("instant", "example.com/disk", "Immediate", ""));
        board.storageClass(storageClass(
                "zoned",
                "example.com/disk",
                "WaitForFirstConsumer",
                "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b]}]}]"));
    }

    /** What a claim says, and what becomes of its pod. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec: {storageClassName: instant} | pod has unbound immediate PersistentVolumeClaims",
                "spec: {storageClassName: unknown} | pod has unbound immediate PersistentVolumeClaims",
                "spec: {storageClassName: dynamic, volumeName: pv} | pod has unbound immediate PersistentVolumeClaims",
                "spec: {volumeName: pv}, status: {phase: Lost}"
                        + " | persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv\"",
                "spec: {storageClassName: local}" + " | 2 node(s) didn't find available persistent volumes to bind",
                "spec: {volumeName: gone}, status: {phase: Bound}"
                        + " | 2 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
            })
    void problemsAreNamedInTheWordsOfKubernetes(String claim, String words) {
        board.claim(claim("data", claim));
        assertThat(board.choose(mounting("data"))).isEqualTo("0/2 nodes are available: " + words + "." + NOT_HELPFUL);
    }

    @Test
    void aClaimMustBeThere() {
        assertThat(board.choose(mounting("data")))
                .isEqualTo("0/2 nodes are available: persistentvolumeclaim \"data\" not found." + NOT_HELPFUL);
        Pod ephemeral = podOf("p", "", "volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}]");
        assertThat(board.choose(ephemeral))
                .startsWith("0/2 nodes are available: waiting for ephemeral volume controller to create the"
                        + " persistentvolumeclaim \"p-scratch\". ");
        PersistentVolumeClaim leaving = claim("data", "spec: {storageClassName: dynamic}");
        leaving.getMetadata().setDeletionTimestamp("2026-11-15T10:00:00Z");
        board.claim(leaving);
        assertThat(board.choose(mounting("data"))).contains("persistentvolumeclaim \"data\" is being deleted.");
    }

    @Test
    void aBoundVolumeIsFollowedToItsNode() {
        board.claim(claim("data", "spec: {volumeName: pv}, status: {phase: Bound}"));
        board.volume(volume("pv", "local", "1Gi", "n2", "Bound"));
        assertThat(board.choices(mounting("data"))).containsExactly("n2");
        board.cluster().removeNode("n2");
        assertThat(board.choose(mounting("data")))
                .startsWith("0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity. ");
    }

    @Test
    void aVolumesZoneIsKept() {
        board.claim(claim("data", "spec: {volumeName: pv}, status: {phase: Bound}"));
        PersistentVolume volume = volume("pv", "x", "1Gi", "", "Bound");
        volume.getMetadata().setLabels(java.util.Map.of("failure-domain.beta.kubernetes.io/zone", "b__c"));
        board.volume(volume);
        assertThat(board.choices(mounting("data"))).containsExactly("n2");
        board.cluster().removeNode("n2");
        assertThat(board.choose(mounting("data")))
                .startsWith("0/1 nodes are available: 1 node(s) had no available volume zone. ");
    }

    @Test
    void theSmallestVolumeThatIsLargeEnoughIsChosenOnTheNodeThatHasIt() {
        board.claim(claim("data", "spec: {storageClassName: local, resources: {requests: {storage: 5Gi}}}"));
        board.volume(volume("small", "local", "1Gi", "n1", "Available"))
                .volume(volume("large", "local", "100Gi", "n2", "Available"))
                .volume(volume("right", "local", "8Gi", "n2", "Available"))
                .volume(volume("used", "local", "5Gi", "n2", "Released"))
                .volume(volume("other", "else", "6Gi", "n2", "Available"));
        assertThat(plan(mounting("data")).node()).isEqualTo("n2");
        assertThat(plan(mounting("data")).bindings())
                .singleElement()
                .satisfies(binding ->
                        assertThat(binding.volume().getMetadata().getName()).isEqualTo("right"));
    }

    @Test
    void aPromisedVolumeIsNotPromisedAgain() {
        board.claim(claim("data", "spec: {storageClassName: local}"));
        board.claim(claim("more", "spec: {storageClassName: local}"));
        board.volume(volume("only", "local", "1Gi", "n1", "Available"));
        VolumePlan plan = plan(mounting("data"));
        board.ledger().promise(plan);
        assertThat(board.choose(mounting("more"))).startsWith("0/2 nodes are available: 2 node(s) didn't find");
        assertThat(board.choose(mounting("data"))).isEqualTo("n1");
        board.ledger().release(plan);
        assertThat(board.choose(mounting("more"))).isEqualTo("n1");
    }

    @Test
    void aVolumeIsMadeWhereItsClassAllowsAndForAllPodsOfTheClaimAtOneNode() {
        board.claim(claim("data", "spec: {storageClassName: zoned}"));
        assertThat(plan(mounting("data")).node()).isEqualTo("n2");
        assertThat(plan(mounting("data")).provisions()).hasSize(1);
        board.claim(claim("shared", "spec: {storageClassName: dynamic}"));
        VolumePlan plan = plan(mounting("shared"));
        board.ledger().promise(plan);
        assertThat(board.choices(mounting("shared"))).containsExactly(plan.node());
    }

    @Test
    void aSelectedNodeIsKept() {
        PersistentVolumeClaim claim = claim("data", "spec: {storageClassName: dynamic}");
        claim.getMetadata().setAnnotations(java.util.Map.of("volume.kubernetes.io/selected-node", "n2"));
        board.claim(claim);
        assertThat(board.choices(mounting("data"))).containsExactly("n2");
    }

    @Test
    void aClaimForOnePodIsGivenToOnePodUnlessThatOneIsLessImportant() {
        board.claim(claim("data", "spec: {volumeName: pv, accessModes: [ReadWriteOncePod]}, status: {phase: Bound}"));
        board.volume(volume("pv", "x", "1Gi", "", "Bound"));
        board.place("n1", podOf("first", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"));
        assertThat(board.choose(mounting("data")))
                .startsWith("0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with"
                        + " ReadWriteOncePod access mode already in-use by another pod. ");
        Pod vip = mounting("data");
        vip.getSpec().setPriority(10);
        assertThat(board.choose(vip)).isEqualTo("evict [first] from n1");
    }

    private VolumePlan plan(Pod pod) {
        return switch (board.outcome(pod)) {
            case Placement.Outcome.Node(var node, var preparations) -> (VolumePlan) preparations.getFirst();
            case Placement.Outcome.Nowhere(var attempt, var why) -> throw new AssertionError(why.message());
        };
    }

    private static Pod mounting(String claim) {
        return podOf("p", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim + "}}]");
    }

    private static PersistentVolumeClaim claim(String name, String more) {
        return yaml(
                PersistentVolumeClaim.class,
                "{metadata: {name: " + name + ", namespace: default, uid: uid-" + name + "}, " + more + "}");
    }

    private static PersistentVolume volume(String name, String storageClass, String size, String node, String phase) {
        String affinity = node.isEmpty()
                ? ""
                : ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                        + " operator: In, values: [" + node + "]}]}]}}";
        return yaml(
                PersistentVolume.class,
                "{metadata: {name: " + name + "}, spec: {storageClassName: " + storageClass + ", capacity: {storage: "
                        + size + "}" + affinity + "}, status: {phase: " + phase + "}}");
    }

    private static StorageClass storageClass(String name, String provisioner, String mode, String more) {
        return yaml(
                StorageClass.class,
                "{metadata: {name: " + name + "}, provisioner: " + provisioner + ", volumeBindingMode: " + mode
                        + (more.isEmpty() ? "" : ", " + more) + "}");
    }
}
