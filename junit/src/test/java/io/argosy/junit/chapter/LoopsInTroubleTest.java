package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** Loops without a chapter of their own come to the same end whatever goes wrong on the way. */
@ArgosyTest
@Timeout(300)
class LoopsInTroubleTest extends TroubledLoops {
    private static final String WEB = """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: 3
          selector: {matchLabels: {app: web}}
          template:
            metadata:
              labels: {app: web}
              annotations: {simulated.argosy.io/cpu: 300m}
            spec:
              containers:
              - {name: web, image: nginx, ports: [{containerPort: 80}], resources: {requests: {cpu: 200m}}}
        """;

    LoopsInTroubleTest(Cluster cluster, KubernetesClient client) {
        super(cluster, client);
    }

    private void deployWeb(Trouble trouble) {
        begin(trouble, WEB);
        until("three", () -> Pods.ready(pods()) == 3);
    }

    @InTrouble
    void aCronJobStartsOneJobForEachMinuteAndKeepsThree(Trouble trouble) {
        cluster.image("busybox").exits(Duration.ofSeconds(5), 0);
        Set<String> started = new TreeSet<>();
        cluster.always(Job.class, "no minute has two jobs", jobs -> {
            jobs.forEach(job -> started.add(job.getMetadata().getName()));
            return jobs.stream()
                            .map(job -> job.getMetadata()
                                    .getAnnotations()
                                    .get("batch.kubernetes.io/cronjob-scheduled-timestamp"))
                            .distinct()
                            .count()
                    == jobs.size();
        });
        begin(trouble, """
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: hello}
            spec:
              schedule: "*/1 * * * *"
              jobTemplate:
                spec:
                  template:
                    spec:
                      restartPolicy: OnFailure
                      containers: [{name: hello, image: busybox}]
            """);
        for (int minute = 1; minute <= 5; minute++) {
            cluster.advance(Duration.ofMinutes(1));
            trouble.strike(cluster);
        }
        until("three are kept and none runs", () -> {
            List<Job> jobs = client.batch().v1().jobs().list().getItems();
            return jobs.size() == 3
                    && jobs.stream().allMatch(job -> job.getStatus().getCompletionTime() != null)
                    && client.resources(CronJob.class)
                            .withName("hello")
                            .get()
                            .getStatus()
                            .getActive()
                            .isEmpty();
        });
        long first = 1767225600L / 60;
        assertThat(started)
                .containsAll(IntStream.rangeClosed(1, 5)
                        .mapToObj(minute -> "hello-" + (first + minute))
                        .toList());
    }

    @InTrouble
    void aReplicationControllerKeepsItsNumber(Trouble trouble) {
        cluster.always(Pod.class, "never more than are asked for", pods -> Pods.active(pods) <= 5);
        begin(trouble, """
            apiVersion: v1
            kind: ReplicationController
            metadata: {name: web}
            spec:
              replicas: 3
              selector: {app: web}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: web, image: nginx}]}
            """);
        until("three", () -> isReplicated(3));
        client.replicationControllers().withName("web").scale(5); // first, as it insists on the revision it has read
        client.pods().withName(pods().getFirst().getMetadata().getName()).delete();
        until("five", () -> isReplicated(5));
        client.replicationControllers().withName("web").scale(2);
        until("two", () -> isReplicated(2));
    }

    private boolean isReplicated(int count) {
        ReplicationController web =
                client.replicationControllers().withName("web").get();
        return pods().size() == count
                && Pods.ready(pods()) == count
                && web.getStatus() != null
                && Integer.valueOf(count).equals(web.getStatus().getReadyReplicas());
    }

    @InTrouble
    void anAutoscalerComesToTheSameSize(Trouble trouble) {
        begin(trouble, WEB, """
            apiVersion: autoscaling/v2
            kind: HorizontalPodAutoscaler
            metadata: {name: web}
            spec:
              scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
              maxReplicas: 7
              metrics:
              - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
            """);
        cluster.always(
                ReplicaSet.class,
                "never more than seven",
                sets -> sets.stream().allMatch(set -> set.getSpec().getReplicas() <= 7));
        until("seven", () -> pods().size() == 7 && Pods.ready(pods()) == 7);
    }

    @InTrouble
    void aBudgetCountsRight(Trouble trouble) {
        begin(trouble, WEB, """
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: web}
            spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
            """);
        until("one may go", () -> allowed() == 1);
        cluster.always(Pod.class, "two are always ready", pods -> Pods.ready(pods) >= 2);
        String victim = pods().getFirst().getMetadata().getName();
        assertThat(client.pods().withName(victim).evict()).isTrue();
        until(
                "replaced, and one may go again",
                () -> allowed() == 1
                        && Pods.ready(pods()) == 3
                        && client.pods().withName(victim).get() == null);
    }

    private int allowed() {
        PodDisruptionBudget budget =
                client.policy().v1().podDisruptionBudget().withName("web").get();
        return budget.getStatus() == null || budget.getStatus().getDisruptionsAllowed() == null
                ? 0
                : budget.getStatus().getDisruptionsAllowed();
    }

    @InTrouble
    void aQuotaIsHeldAndFollowsWhatIsThere(Trouble trouble) {
        cluster.always(Pod.class, "never more than two", pods -> pods.size() <= 2);
        begin(trouble, """
            apiVersion: v1
            kind: ResourceQuota
            metadata: {name: few}
            spec: {hard: {pods: "2"}}
            """);
        until("counted", () -> used("0"));
        cluster.apply(WEB);
        until("two of three", () -> used("2") && Pods.ready(pods()) == 2);
        client.apps().deployments().withName("web").delete();
        until("none", () -> used("0") && pods().isEmpty());
    }

    private boolean used(String pods) {
        ResourceQuota quota = client.resourceQuotas().withName("few").get();
        return quota.getStatus() != null
                && quota.getStatus().getUsed() != null
                && quota.getStatus().getUsed().containsKey("pods")
                && pods.equals(quota.getStatus().getUsed().get("pods").toString());
    }

    @InTrouble
    void aNamespaceGoesWithAllThatIsInIt(Trouble trouble) {
        begin(
                trouble,
                "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
                WEB.replace("metadata: {name: web}", "metadata: {name: web, namespace: shop}"),
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: shop, finalizers:"
                        + " [example.com/hold]}}");
        until("three", () -> Pods.ready(client.pods().inNamespace("shop").list().getItems()) == 3);
        client.namespaces().withName("shop").delete();
        until("only what is held is left", () -> {
            Namespace shop = client.namespaces().withName("shop").get();
            return client.pods().inNamespace("shop").list().getItems().isEmpty()
                    && shop.getStatus().getConditions() != null
                    && shop.getStatus().getConditions().stream()
                            .anyMatch(condition -> condition.getType().equals("NamespaceFinalizersRemaining")
                                    && condition.getStatus().equals("True"));
        });
        client.resources(ConfigMap.class).inNamespace("shop").withName("held").edit(held -> {
            held.getMetadata().setFinalizers(List.of());
            return held;
        });
        until("gone", () -> client.namespaces().withName("shop").get() == null);
    }

    @InTrouble
    void theChildrenOfWhoIsGoneGoTooUnlessTheyAreOrphaned(Trouble trouble) {
        deployWeb(trouble);
        client.apps()
                .deployments()
                .withName("web")
                .withPropagationPolicy(DeletionPropagation.ORPHAN)
                .delete();
        until(
                "the set is nobody's",
                () -> client.apps().deployments().withName("web").get() == null
                        && client.apps().replicaSets().list().getItems().stream()
                                .allMatch(set ->
                                        set.getMetadata().getOwnerReferences().isEmpty()));
        assertThat(pods()).hasSize(3);
        client.apps()
                .replicaSets()
                .withLabel("app", "web")
                .withPropagationPolicy(DeletionPropagation.FOREGROUND)
                .delete();
        until(
                "all gone",
                () -> pods().isEmpty()
                        && client.apps().replicaSets().list().getItems().isEmpty());
    }

    @InTrouble
    void thePodsOfALostNodeComeElsewhereAndItsTaintsGoWhenItIsBack(Trouble trouble) {
        deployWeb(trouble);
        String lost = pods().getFirst().getSpec().getNodeName();
        cluster.failNode(lost);
        for (int minute = 0; minute < 8; minute++) { // who starts anew gives a silent node its forty seconds
            trouble.strike(cluster);
            cluster.advance(Duration.ofMinutes(1));
        }
        until(
                "three elsewhere",
                () -> pods().stream()
                                .filter(Pods::isReady)
                                .filter(pod -> !lost.equals(pod.getSpec().getNodeName()))
                                .count()
                        == 3);
        cluster.recoverNode(lost);
        until(
                "all is well",
                () -> client.nodes().withName(lost).get().getSpec().getTaints().isEmpty()
                        && pods().size() == 3
                        && Pods.ready(pods()) == 3);
    }

    @InTrouble
    void theEndpointsOfAServiceAreItsReadyPods(Trouble trouble) {
        begin(trouble, WEB, """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {selector: {app: web}, ports: [{port: 80}]}
            """);
        until("three", () -> Pods.ready(pods()) == 3 && endpointsAreRight());
        client.apps().deployments().withName("web").scale(4); // first, as it insists on the revision it has read
        client.pods().withName(pods().getFirst().getMetadata().getName()).delete();
        until("four", () -> pods().size() == 4 && Pods.ready(pods()) == 4 && endpointsAreRight());
        client.apps().deployments().withName("web").scale(0);
        until("none", () -> pods().isEmpty() && endpointsAreRight());
    }

    private boolean endpointsAreRight() {
        Set<String> ready = pods().stream()
                .filter(Pods::isReady)
                .map(pod -> pod.getStatus().getPodIP())
                .collect(Collectors.toSet());
        Endpoints endpoints = client.endpoints().withName("web").get();
        Set<String> old = endpoints == null
                ? Set.of()
                : endpoints.getSubsets().stream()
                        .flatMap(subset -> subset.getAddresses().stream())
                        .map(address -> address.getIp())
                        .collect(Collectors.toSet());
        Set<String> slices = client
                .discovery()
                .v1()
                .endpointSlices()
                .withLabel("kubernetes.io/service-name", "web")
                .list()
                .getItems()
                .stream()
                .flatMap(slice -> slice.getEndpoints().stream())
                .filter(endpoint -> Boolean.TRUE.equals(endpoint.getConditions().getReady()))
                .flatMap(endpoint -> endpoint.getAddresses().stream())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return ready.equals(old) && ready.equals(slices);
    }

    private List<Pod> pods() {
        return client.pods().withLabel("app", "web").list().getItems();
    }
}
