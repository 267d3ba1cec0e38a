package io.argosy.scheduler;

import static io.argosy.client.fake.Eventually.eventually;
import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static io.argosy.scheduler.Objects.podOf;
import static io.argosy.scheduler.Objects.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of pods over time: preemption, volumes, several schedulers, waiting and waking. */
class SchedulerScenarioTest extends SchedulerFixture {
    private final Resources<PersistentVolumeClaim> claims = api.client().resources(PersistentVolumeClaim.class);
    private final Resources<PersistentVolume> volumes = api.client().resources(PersistentVolume.class);

    @Test
    void anImportantPodTakesThePlaceOfALessImportantOneWhenThatHasEnded() {
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(sized("low", 1, "2"));
        eventuallyOn("low", "n1");
        pods.create(sized("high", 100, "2"));
        eventually("victim is leaving", () -> get("low").getMetadata().getDeletionTimestamp() != null);
        PodCondition why = condition("low", "DisruptionTarget").orElseThrow();
        assertThat(why.getStatus()).isEqualTo("True");
        assertThat(why.getReason()).isEqualTo("PreemptionByScheduler");
        assertThat(why.getMessage()).isEqualTo("default-scheduler: preempting to accommodate a higher priority pod");
        eventually(
                "nominated",
                () -> get("high").getStatus() != null
                        && "n1".equals(get("high").getStatus().getNominatedNodeName()));
        assertThat(why("high")).isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
        eventually(
                "event",
                () -> messages("Preempted")
                        .equals(List.of(
                                "Preempted by pod " + get("high").getMetadata().getUid() + " on node n1")));
        assertThat(get("high").getSpec().getNodeName()).isNull();

        pods.delete("default", "low", new Resources.DeleteOptions(0L, null, null, null));
        eventuallyOn("high", "n1");
    }

    @Test
    void whileTheVictimsEndNobodyElseIsEvictedNorTakesTheirPlace() {
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(sized("a", 1, "1"));
        pods.create(sized("b", 1, "1"));
        eventually("both run", () -> scheduler.scheduled() == 2);
        pods.create(sized("high", 100, "2"));
        eventually(
                "both leave",
                () -> get("a").getMetadata().getDeletionTimestamp() != null
                        && get("b").getMetadata().getDeletionTimestamp() != null);
        settle();
        pods.create(sized("sneaky", 50, "1"));
        eventually("sneaky waits", () -> condition("sneaky", "PodScheduled").isPresent());
        settle();
        pods.delete("default", "a", new Resources.DeleteOptions(0L, null, null, null));
        clock.advance(Duration.ofSeconds(10));
        eventually(
                "high waits for the other",
                () -> why("high").endsWith("not eligible due to a" + " terminating pod on the nominated node."));
        assertThat(get("sneaky").getSpec().getNodeName()).isNull();
        pods.delete("default", "b", new Resources.DeleteOptions(0L, null, null, null));
        eventuallyOn("high", "n1");
        assertThat(messages("Preempted")).hasSize(2);
    }

    @Test
    void aBudgetSparesItsPods() {
        api.client().resources(PodDisruptionBudget.class).create(yaml(PodDisruptionBudget.class, """
                        apiVersion: policy/v1
                        kind: PodDisruptionBudget
                        metadata: {name: db, namespace: default}
                        spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
                        status: {disruptionsAllowed: 0}
                        """));
        eventually(
                "known", () -> !informers.of(PodDisruptionBudget.class).list().isEmpty());
        createNodes(node("n1", "2", "8Gi").build());
        Pod guarded = sized("guarded", 1, "1");
        guarded.getMetadata().setLabels(Map.of("app", "db"));
        pods.create(guarded);
        pods.create(sized("plain", 5, "1"));
        eventually("both run", () -> scheduler.scheduled() == 2);
        pods.create(sized("high", 100, "1"));
        eventually("plain leaves", () -> get("plain").getMetadata().getDeletionTimestamp() != null);
        settle();
        assertThat(get("guarded").getMetadata().getDeletionTimestamp()).isNull();
    }

    @Test
    void anEvictionThatFailsIsTriedAgain() {
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(sized("low", 1, "2"));
        eventuallyOn("low", "n1");
        api.failOnce(
                request -> request.verb() == Verb.DELETE && request.name().equals("low"),
                new ApiException(Reason.InternalError, "no luck"));
        pods.create(sized("high", 100, "2"));
        eventually("victim is leaving", () -> get("low").getMetadata().getDeletionTimestamp() != null);
    }

    @Test
    void aPodWithoutPolicyToPreemptWaits() {
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(sized("low", 1, "2"));
        eventuallyOn("low", "n1");
        Pod meek = sized("meek", 100, "2");
        meek.getSpec().setPreemptionPolicy("Never");
        pods.create(meek);
        eventually(
                "waits",
                () -> condition("meek", "PodScheduled")
                        .filter(condition ->
                                condition.getMessage().endsWith("not eligible due to preemptionPolicy=Never."))
                        .isPresent());
        settle();
        assertThat(get("low").getMetadata().getDeletionTimestamp()).isNull();
    }

    @Test
    void aVolumeIsAskedForAtTheChosenNodeAndAwaited() {
        waitingClass("disk", "example.com/disk");
        claims.create(claim("data", "disk"));
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(podOf("web", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"));
        eventually("asked for", () -> "n1".equals(annotation("data", "volume.kubernetes.io/selected-node")));
        settle();
        assertThat(get("web").getSpec().getNodeName()).isNull();

        volumes.create(volume("pv1", "disk", "Bound"));
        bindClaim("data", "pv1");
        eventuallyOn("web", "n1");
        eventually("no timer is left", () -> clock.waiting() == 0);
    }

    @Test
    void provisioningThatFailedIsTriedAgainAfterItsBackOff() {
        waitingClass("disk", "example.com/disk");
        claims.create(claim("data", "disk"));
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(podOf("web", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"));
        eventually("asked for", () -> "n1".equals(annotation("data", "volume.kubernetes.io/selected-node")));
        PersistentVolumeClaim claim = claims.get("default", "data");
        claim.getMetadata().setAnnotations(Map.of());
        claims.update(claim);
        eventually(
                "event",
                () -> messages("FailedScheduling")
                        .contains(
                                "running PreBind plugin \"VolumeBinding\": binding volumes: provisioning failed for PVC"
                                        + " \"data\""));
        settle();
        clock.advance(Duration.ofSeconds(1));
        eventually("asked again", () -> "n1".equals(annotation("data", "volume.kubernetes.io/selected-node")));
    }

    @Test
    void aReadyVolumeIsGivenToTheClaim() {
        waitingClass("local", "kubernetes.io/no-provisioner");
        claims.create(claim("data", "local"));
        createNodes(node("n1", "2", "8Gi").build());
        Pod web = podOf("web", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]");
        pods.create(web);
        eventually(
                "no volume",
                () -> condition("web", "PodScheduled")
                        .filter(condition -> condition
                                .getMessage()
                                .startsWith("0/1 nodes are available: 1 node(s) didn't"
                                        + " find available persistent volumes to bind. "))
                        .isPresent());
        settle();
        volumes.create(volume("pv1", "local", "Available"));
        clock.advance(Duration.ofSeconds(10));
        eventually(
                "given",
                () -> volumes.get("", "pv1").getSpec().getClaimRef() != null
                        && volumes.get("", "pv1")
                                .getSpec()
                                .getClaimRef()
                                .getUid()
                                .equals(claims.get("default", "data")
                                        .getMetadata()
                                        .getUid()));
        assertThat(volumes.get("", "pv1").getMetadata().getAnnotations())
                .containsEntry("pv.kubernetes.io/bound-by-controller", "yes");
        bindClaim("data", "pv1");
        eventuallyOn("web", "n1");
    }

    @Test
    void aPodThatIsDeletedWhileItsVolumeIsMadeIsForgotten() {
        waitingClass("disk", "example.com/disk");
        claims.create(claim("data", "disk"));
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(podOf("web", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"));
        eventually("asked for", () -> "n1".equals(annotation("data", "volume.kubernetes.io/selected-node")));
        pods.delete("default", "web", Resources.DeleteOptions.DEFAULT);
        eventually("no timer is left", () -> clock.waiting() == 0 && scheduler.idle());
        pods.create(pod("big", "2", "1Gi"));
        eventuallyOn("big", "n1");
    }

    @Test
    void eachSchedulerNameHasItsOwnRules() {
        createNodes(Objects.tainted("n1", "dedicated", "NoSchedule"));
        pods.create(pod("strict").build());
        pods.create(
                pod("free").editSpec().withSchedulerName("careless").endSpec().build());
        eventuallyOn("free", "n1");
        eventually("strict waits", () -> condition("strict", "PodScheduled").isPresent());
        assertThat(get("strict").getSpec().getNodeName()).isNull();
    }

    @Test
    void aPodThatNoEventHelpedTriesAgainAfterFiveMinutes() {
        createNodes(node("n1", "1", "8Gi").build());
        pods.create(pod("big", "2", "1Gi"));
        eventually("tried", () -> !why("big").isEmpty());
        settle();
        int before = count("big");
        clock.advance(Duration.ofMinutes(4));
        settle();
        assertThat(count("big")).isEqualTo(before);
        clock.advance(Duration.ofMinutes(2));
        eventually("tried again", () -> count("big") == before + 1);
    }

    @Test
    void aNewReplicaGoesWhereFewestOfItsKindAre() {
        createNodes(node("n1", "4", "8Gi").build());
        createNodes(node("n2", "4", "8Gi").build());
        api.client()
                .resources(io.fabric8.kubernetes.api.model.Service.class)
                .create(yaml(
                        io.fabric8.kubernetes.api.model.Service.class,
                        "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app:"
                                + " web}}}"));
        eventually(
                "known",
                () -> !informers
                        .of(io.fabric8.kubernetes.api.model.Service.class)
                        .list()
                        .isEmpty());
        pods.create(podOf("w1", "app: web", ""));
        eventually("first", () -> scheduler.scheduled() == 1);
        String first = get("w1").getSpec().getNodeName();
        Pod heavy = pod("heavy", "2", "4Gi");
        heavy.getSpec().setNodeSelector(Map.of("kubernetes.io/hostname", first.equals("n1") ? "n2" : "n1"));
        pods.create(heavy);
        eventually("heavy", () -> scheduler.scheduled() == 2);
        pods.create(podOf("w2", "app: web", ""));
        eventually("second", () -> scheduler.scheduled() == 3);
        assertThat(get("w2").getSpec().getNodeName()).isNotEqualTo(first);
    }

    private void waitingClass(String name, String provisioner) {
        api.client()
                .resources(StorageClass.class)
                .create(yaml(
                        StorageClass.class,
                        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + name
                                + "}, provisioner: " + provisioner + ", volumeBindingMode: WaitForFirstConsumer}"));
        eventually("class", () -> !informers.of(StorageClass.class).list().isEmpty());
    }

    private static PersistentVolumeClaim claim(String name, String storageClass) {
        return yaml(
                PersistentVolumeClaim.class,
                "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name
                        + ", namespace: default}, spec: {storageClassName: " + storageClass
                        + ", resources: {requests: {storage: 1Gi}}}}");
    }

    private static PersistentVolume volume(String name, String storageClass, String phase) {
        return yaml(
                PersistentVolume.class,
                "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + name + "}, spec: {storageClassName: "
                        + storageClass + ", capacity: {storage: 1Gi}}, status: {phase: " + phase + "}}");
    }

    /** What the volume controller does. */
    private void bindClaim(String name, String volume) {
        PersistentVolumeClaim claim = claims.get("default", name);
        claim.getSpec().setVolumeName(volume);
        claim.getMetadata().getAnnotations().put("pv.kubernetes.io/bind-completed", "yes");
        claims.update(claim);
    }

    private String annotation(String claim, String annotation) {
        Map<String, String> found = claims.get("default", claim).getMetadata().getAnnotations();
        return found == null ? null : found.get(annotation);
    }

    /** How often a pod was found to fit nowhere. */
    private int count(String pod) {
        return api.client().resources(Event.class).list("", Map.of()).stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod))
                .mapToInt(Event::getCount)
                .sum();
    }

    private static Pod sized(String name, int priority, String cpu) {
        Pod pod = pod(name, cpu, "1Mi");
        pod.getSpec().setPriority(priority);
        return pod;
    }
}
