package io.argosy.operators;

import io.argosy.junit.Cluster;
import io.argosy.operators.EtcdOperators.Lease;
import io.argosy.operators.EtcdOperators.Program;
import io.argosy.operators.agent.FakeAgents;
import io.argosy.operators.cluster.EtcdClusterReconciler.Pace;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.EtcdClusterStatus;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A cluster in a test with the operators in it, and one EtcdCluster that a test is about. */
public final class Scene implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration VIRTUAL_STEP = Duration.ofMillis(200);
    private static final long REAL_STEP_NANOS = Duration.ofMillis(2).toNanos();

    private final Cluster cluster;
    private final KubernetesClient client;
    private final FakeEtcd etcd;
    private final String name;
    private final Etcd asked;
    private final InstantSource clock;
    private final Pace pace;
    private final long step;
    private final Duration limit;
    private Runnable play = () -> {};
    private final List<EtcdOperators> operators = new ArrayList<>();
    private int operatorsEver;
    private volatile Duration skew = Duration.ZERO;

    public Scene(Cluster cluster, String name) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.etcd = new FakeEtcd(client, cluster::now);
        this.asked = etcd;
        this.name = name;
        this.clock = () -> cluster.now().plus(skew);
        this.pace = new Pace(Duration.ofMillis(10), Duration.ofMillis(100));
        this.step = REAL_STEP_NANOS;
        this.limit = LIMIT;
    }

    private Scene(Cluster cluster, String name, Etcd asked) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.etcd = null;
        this.asked = asked;
        this.name = name;
        this.clock = InstantSource.system();
        this.pace = new Pace(Duration.ofMillis(200), Duration.ofMillis(400));
        this.step = VIRTUAL_STEP.toNanos();
        this.limit = LIMIT.multipliedBy(4);
    }

    /** With an etcd that lives in real time, which the whole scene then does, and what plays it. */
    public static Scene inRealTime(Cluster cluster, String name, Etcd etcd, Runnable play) {
        Scene scene = new Scene(cluster, name, etcd);
        scene.play = play;
        return scene;
    }

    /** Plays the operators' own pods, on folders below this one. */
    public FakeAgents withAgents(Path folder) {
        FakeAgents agents = new FakeAgents(client, etcd, cluster::now, folder);
        play = agents::play;
        return agents;
    }

    public void startOperator() {
        start(client, null, EnumSet.allOf(Program.class));
    }

    /** One program of its own, beside others, with a client that may not do everything; the lease may be null. */
    public EtcdOperators start(KubernetesClient its, Lease lease, Set<Program> programs) {
        EtcdOperators started = EtcdOperators.start(
                new EtcdOperators.Setting(its, asked, clock, new Random(++operatorsEver), pace, "operators", lease),
                programs);
        operators.add(started);
        return started;
    }

    /** The operator's clock is wrong by this much from now on. */
    public void setClockWrong(Duration difference) {
        skew = difference;
    }

    public void stopOperator() {
        operators.forEach(EtcdOperators::close);
        operators.clear();
    }

    @Override
    public void close() {
        stopOperator();
    }

    public FakeEtcd etcd() {
        return etcd;
    }

    public Cluster cluster() {
        return cluster;
    }

    // ---- what there is ----

    public EtcdCluster resource() {
        return client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .get();
    }

    public EtcdClusterStatus status() {
        return resource().getStatus();
    }

    public String condition(String type) {
        EtcdClusterStatus status = status();
        return status == null || status.conditions() == null
                ? ""
                : status.conditions().stream()
                        .filter(condition -> condition.getType().equals(type))
                        .map(condition -> condition.getStatus() + " " + condition.getReason())
                        .findFirst()
                        .orElse("");
    }

    public String message(String type) {
        return status().conditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .map(Condition::getMessage)
                .findFirst()
                .orElse("");
    }

    public List<Pod> pods() {
        return client.pods()
                .inNamespace("default")
                .withLabel(Names.CLUSTER_LABEL, name)
                .list()
                .getItems();
    }

    public List<PersistentVolumeClaim> volumes() {
        return client.persistentVolumeClaims()
                .inNamespace("default")
                .withLabel(Names.CLUSTER_LABEL, name)
                .list()
                .getItems();
    }

    /** Who answers, as the status says. */
    public List<String> members() {
        EtcdClusterStatus status = status();
        return status == null || status.members() == null || status.members().ready() == null
                ? List.of()
                : status.members().ready();
    }

    public List<String> events() {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(name))
                .map(Event::getReason)
                .toList();
    }

    // ---- what is done ----

    public void apply(String manifest) {
        cluster.apply(manifest);
    }

    /** Changes a field of the spec as kubectl would. */
    private void set(String field, String json) {
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"" + field + "\":" + json + "}}");
    }

    public void resize(int size) {
        set("size", Integer.toString(size));
    }

    public void version(String version) {
        set("version", '"' + version + '"');
    }

    public void pause(boolean paused) {
        set("paused", Boolean.toString(paused));
    }

    public void consent(String member) {
        set("recovery", member == null ? "null" : "{\"member\":\"" + member + "\",\"acceptDataLoss\":true}");
    }

    /** The EtcdCluster and all that is its own. */
    public void deleteCluster() {
        client.resources(EtcdCluster.class)
                .inNamespace("default")
                .withName(name)
                .delete();
        await(
                "all of it is gone",
                () -> pods().isEmpty()
                        && volumes().isEmpty()
                        && client.services()
                                .inNamespace("default")
                                .withLabel(Names.CLUSTER_LABEL, name)
                                .list()
                                .getItems()
                                .isEmpty());
    }

    /** Whatever pod this member gets, its node gives it up. */
    public void failPods(String member) {
        Runnable before = play;
        play = () -> {
            before.run();
            Pod pod = client.pods().inNamespace("default").withName(member).get();
            if (pod != null
                    && pod.getStatus() != null
                    && "Running".equals(pod.getStatus().getPhase())) {
                client.resource(pod).editStatus(running -> {
                    running.getStatus().setPhase("Failed");
                    running.getStatus().setReason("Evicted");
                    return running;
                });
            }
        };
    }

    public void deletePods(List<String> names) {
        names.forEach(pod -> client.pods()
                .inNamespace("default")
                .withName(pod)
                .withGracePeriod(0)
                .delete());
    }

    /** Pods and what they knew. */
    public void destroy(List<String> names) {
        names.forEach(volume -> client.persistentVolumeClaims()
                .inNamespace("default")
                .withName(volume)
                .delete());
        deletePods(names);
    }

    // ---- waiting ----

    public void awaitMembers(int count) {
        await(
                count + " members, settled",
                () -> members().size() == count
                        && status().members().unready().isEmpty()
                        && condition("Available").startsWith("True")
                        && condition("Scaling").startsWith("False")
                        && condition("Upgrading").startsWith("False")
                        && condition("Recovering").startsWith("False")
                        && pods().size() == count);
    }

    /** Lets time pass, the cluster's and the operator's own, until it is so. */
    public void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("in vain: " + what + "\n" + resource() + "\n"
                        + (etcd == null ? "" : etcd.journal() + "\n" + etcd.complaints() + "\n")
                        + cluster.explain(EtcdCluster.class, "default", name));
            }
            pass();
            LockSupport.parkNanos(step);
        }
    }

    /** Lets time pass while the operator looks every few seconds of it. */
    public void watch(Duration time) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(LOOK)) {
            long before = etcd.looks();
            cluster.advance(LOOK);
            await("it looks", () -> etcd.looks() >= before + 2);
        }
    }

    private void pass() {
        cluster.advance(VIRTUAL_STEP);
        play.run();
    }

    /** Lets the operator look for a while, to see that it does nothing. */
    public void letItLook() {
        for (int i = 0; i < 50; i++) {
            pass();
            LockSupport.parkNanos(REAL_STEP_NANOS * 4);
        }
    }

    public List<String> uids(List<? extends HasMetadata> objects) {
        return objects.stream()
                .map(object -> object.getMetadata().getUid())
                .sorted()
                .toList();
    }
}
