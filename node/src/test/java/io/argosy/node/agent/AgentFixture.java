package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Client;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.node.agent.admission.Room;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeImages;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.manifest.PodForm;
import io.argosy.node.agent.volume.TokenSource;
import io.argosy.node.files.MountsBelow;
import io.argosy.node.files.Trees;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The agent as a whole, on an API server and a runtime in memory, with time turned by hand. */
abstract class AgentFixture {
    static final String NODE = "node-1";

    final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    final FakeApi api = new FakeApi(clock);
    final Client client = api.client();
    final FakeRuntime runtime = new FakeRuntime(clock);
    final FakeImages images = new FakeImages().with("app:1").with("other:1");
    final FakeEvents events = new FakeEvents();

    @TempDir(cleanup = CleanupMode.NEVER)
    Path home;

    private SharedInformers informers;
    NodeAgent agent;

    @BeforeEach
    void begin() throws Exception {
        startAgent();
    }

    @AfterEach
    void end() {
        stopAgent();
        MountsBelow.takeOff(home);
        eventually("what was still being written is, and goes", this::deleteHome);
    }

    /** A closed agent waits for nothing, such as a volume that is being brought up to date. */
    private boolean deleteHome() {
        try {
            Trees.delete(home);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    void startAgent() throws Exception {
        informers = new SharedInformers(api, clock);
        var pods = informers.of(Pod.class);
        var services = informers.of(Service.class);
        informers.start();
        informers.awaitSync();
        agent = new NodeAgent(
                config(NodeConfig.of(NODE, home, "192.168.0.1", "10.96.0.10")
                        .with(NodeSettings.USUAL.withManifests(home.resolve("manifests")))),
                new NodeAgent.Ground(
                        client,
                        pods,
                        services,
                        runtime,
                        images,
                        clock,
                        events,
                        TokenSource.NONE,
                        PodForm.AS_GIVEN,
                        room()));
        agent.start();
    }

    /** What a test says about its node beyond the usual. */
    NodeConfig config(NodeConfig usual) {
        return usual;
    }

    /** Whether the node has room for a pod. */
    Room room() {
        return Room.ENDLESS;
    }

    void stopAgent() {
        agent.close();
        informers.close();
    }

    static PodBuilder pod(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(NODE)
                .withRestartPolicy("Always")
                .withTerminationGracePeriodSeconds(30L)
                .addNewContainer()
                .withName("web")
                .withImage("app:1")
                .endContainer()
                .endSpec();
    }

    Pod create(PodBuilder pod) {
        return client.resources(Pod.class).create(pod.build());
    }

    Optional<Pod> find(String name) {
        return client.resources(Pod.class).find("default", name);
    }

    String phase(String name) {
        return find(name)
                .map(p -> p.getStatus() == null ? "" : p.getStatus().getPhase())
                .orElse("gone");
    }

    boolean ready(String name) {
        return condition(name, "Ready").map(c -> c.getStatus().equals("True")).orElse(false);
    }

    Optional<PodCondition> condition(String name, String type) {
        return find(name).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getConditions().stream())
                .filter(c -> c.getType().equals(type))
                .findFirst();
    }

    ContainerStatus status(String name, String container) {
        return find(name).stream()
                .filter(p -> p.getStatus() != null)
                .flatMap(p -> java.util.stream.Stream.concat(
                        p.getStatus().getContainerStatuses().stream(),
                        p.getStatus().getInitContainerStatuses().stream()))
                .filter(s -> s.getName().equals(container))
                .findFirst()
                .orElseGet(ContainerStatus::new);
    }

    String waiting(String name, String container) {
        var state = status(name, container).getState();
        return state == null || state.getWaiting() == null
                ? ""
                : state.getWaiting().getReason();
    }

    /**
     * Waits until the agent has done all that the present moment asks of it: every timer is set, every status written. Twice in a row,
     * since an event of the API server may be on its way.
     */
    void settle() {
        AtomicInteger quiet = new AtomicInteger();
        eventually("the agent has nothing to do", () -> {
            quiet.set(clock.holds().count() == 0 ? quiet.get() + 1 : 0);
            return quiet.get() == 2;
        });
    }

    /** Turns the clock once everybody has set their timers, and waits for what that brings. */
    void advance(Duration time) {
        settle();
        clock.advance(time);
        settle();
    }

    /** Turns the clock, second by second, until the condition holds: no state that lasts a second is missed, and the last one stays. */
    void turnUntil(String what, BooleanSupplier condition) {
        settle();
        eventually(what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            advance(Duration.ofSeconds(1));
            return false;
        });
    }
}
