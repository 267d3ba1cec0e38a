package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.argosy.client.Resources;
import io.argosy.node.agent.fake.PlainServer;
import io.argosy.node.runtime.ExecResult;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LifecycleBuilder;
import io.fabric8.kubernetes.api.model.LifecycleHandlerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is done after a container's start and before its end: how long others wait for it, and how long not. */
class HookTest extends AgentFixture {
    /** What shares the node's network answers here. */
    @Override
    NodeConfig config(NodeConfig usual) {
        return NodeConfig.of(NODE, home, "127.0.0.1", "10.96.0.10").with(usual.settings());
    }

    private static LifecycleHandlerBuilder sleep(long seconds) {
        return new LifecycleHandlerBuilder().withNewSleep(seconds);
    }

    private static PodBuilder with(String name, LifecycleBuilder hooks) {
        return pod(name)
                .editSpec()
                .editContainer(0)
                .withLifecycle(hooks.build())
                .endContainer()
                .endSpec();
    }

    private void delete(String name) {
        client.resources(Pod.class).delete("default", name, Resources.DeleteOptions.DEFAULT);
    }

    /** It runs, and its hook too, as long as nobody turns the clock. */
    private void hooked(String name) {
        eventually(
                "hooked",
                () -> status(name, "web").getContainerID() != null
                        && waiting(name, "web").equals("ContainerCreating"));
    }

    /** How many seconds the container was given when it was told to stop. */
    private long grace() {
        return runtime.calls().stream()
                .filter(call -> call.startsWith("stop web "))
                .mapToLong(call -> Long.parseLong(call.substring("stop web ".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aContainerCountsOnlyWhenItHasSleptAfterItsStart() {
        create(with("a", new LifecycleBuilder().withPostStart(sleep(5).build())));
        Instant begun = clock.now();
        hooked("a");
        assertThat(phase("a")).isEqualTo("Pending");
        assertThat(ready("a")).isFalse();

        turnUntil("ready", () -> ready("a"));

        assertThat(phase("a")).isEqualTo("Running");
        assertThat(Duration.between(begun, clock.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theNextContainerWaitsForTheSleepOfTheOneBefore() {
        create(new PodBuilder(with("a", new LifecycleBuilder().withPostStart(sleep(5).build()))
                        .build())
                .editSpec()
                .addNewContainer()
                .withName("second")
                .withImage("app:1")
                .endContainer()
                .endSpec());
        hooked("a");
        assertThat(runtime.started()).containsExactly("web");
        turnUntil("ready", () -> ready("a"));
        assertThat(runtime.started()).containsExactly("web", "second");
    }

    @Test
    void aPodThatGoesAwayDoesNotWaitForTheSleepAfterAStart() {
        create(with("a", new LifecycleBuilder().withPostStart(sleep(500).build())));
        hooked("a");
        delete("a");
        eventually("gone", () -> find("a").isEmpty());
        assertThat(runtime.running()).isZero();
    }

    @Test
    void aHookThatFailsAfterTheStartEndsTheContainer() {
        runtime.answersExec(command -> new ExecResult(1, new byte[0], new byte[0]));
        create(with(
                "a",
                new LifecycleBuilder()
                        .withPostStart(new LifecycleHandlerBuilder()
                                .withNewExec()
                                .withCommand("false")
                                .endExec()
                                .build())));
        eventually("killed", () -> events.lines().contains("Killing: FailedPostStartHook"));
        assertThat(events.lines()).contains("FailedPostStartHook: PostStartHook failed");
        eventually("stopped", () -> runtime.calls().contains("stop web 30"));
        assertThat(ready("a")).isFalse();
    }

    @Test
    void aHookThatFailedAfterTheStartIsOnShowWhileItIsTriedAgain() {
        CountDownLatch seen = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        runtime.answersExec(command -> {
            byte[] said = "no\n".getBytes(StandardCharsets.UTF_8);
            boolean well = tries.incrementAndGet() > 1 && awaited(seen);
            return new ExecResult(well ? 0 : 3, new byte[0], well ? new byte[0] : said);
        });
        create(with(
                "a",
                new LifecycleBuilder()
                        .withPostStart(new LifecycleHandlerBuilder()
                                .withNewExec()
                                .withCommand("sh", "begin")
                                .endExec()
                                .build())));
        eventually("tried again", () -> tries.get() == 2);
        eventually("on show", () -> waiting("a", "web").equals("PostStartHookError"));
        assertThat(status("a", "web").getState().getWaiting().getMessage())
                .isEqualTo("Exec lifecycle hook ([sh begin]) for Container \"web\" in Pod \"a_default("
                        + find("a").orElseThrow().getMetadata().getUid()
                        + ")\" failed - error: command 'sh begin' exited with 3: no\n, message: \"no\\n\"");
        assertThat(ready("a")).isFalse();

        seen.countDown();
        eventually("ready", () -> ready("a"));
        assertThat(status("a", "web").getRestartCount()).isEqualTo(1);
    }

    @Test
    void aHookThatIsAnsweredWithoutTlsIsWellAndSomebodyIsTold() throws Exception {
        try (PlainServer plain = new PlainServer()) {
            create(new PodBuilder(with(
                                    "a",
                                    new LifecycleBuilder()
                                            .withPostStart(new LifecycleHandlerBuilder()
                                                    .withNewHttpGet()
                                                    .withScheme("HTTPS")
                                                    .withPort(new IntOrString(plain.port()))
                                                    .endHttpGet()
                                                    .build()))
                            .build())
                    .editSpec()
                    .withHostNetwork(true)
                    .endSpec());
            eventually("ready", () -> ready("a"));
            assertThat(events.lines())
                    .contains("LifecycleHTTPFallback: request to HTTPS lifecycle hook 127.0.0.1:" + plain.port()
                            + " got HTTP response, retry with HTTP succeeded");
        }
    }

    @Test
    void aHookThatFailsAfterTheStartLeavesTimeForTheOneBeforeTheEnd() throws Exception {
        runtime.answersExec(command -> new ExecResult(1, new byte[0], new byte[0]));
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestHeaders().getFirst("User-Agent"));
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
        });
        server.start();
        try {
            create(new PodBuilder(with(
                                    "a",
                                    new LifecycleBuilder()
                                            .withPostStart(new LifecycleHandlerBuilder()
                                                    .withNewExec()
                                                    .withCommand("false")
                                                    .endExec()
                                                    .build())
                                            .withPreStop(new LifecycleHandlerBuilder()
                                                    .withNewHttpGet()
                                                    .withPort(new IntOrString(
                                                            server.getAddress().getPort()))
                                                    .endHttpGet()
                                                    .build()))
                            .build())
                    .editSpec()
                    .withHostNetwork(true)
                    .withRestartPolicy("Never")
                    .endSpec());
            eventually("failed", () -> phase("a").equals("Failed"));
        } finally {
            server.stop(0);
        }
        assertThat(asked).containsExactly("kube-lifecycle/1.35");
        assertThat(runtime.running()).isZero();
        assertThat(events.lines()).doesNotContain("FailedPreStopHook: PreStopHook failed");
    }

    @Test
    void aHookThatNobodyAnswersKeepsNoContainerFromItsEnd() {
        create(pod("a").editSpec()
                .withHostNetwork(true)
                .withTerminationGracePeriodSeconds(9_000_000_000L)
                .editContainer(0)
                .withNewLifecycle()
                .withNewPreStop()
                .withNewHttpGet()
                .withHost("no host")
                .withPort(new IntOrString(80))
                .endHttpGet()
                .endPreStop()
                .endLifecycle()
                .endContainer()
                .endSpec());
        eventually("ready", () -> ready("a"));
        delete("a");
        eventually("gone", () -> find("a").isEmpty());
        assertThat(events.lines()).contains("FailedPreStopHook: PreStopHook failed");
    }

    @Test
    void whatGoesWrongUnexpectedlyWhileStoppingIsTriedAgain() {
        create(pod("a"));
        eventually("ready", () -> ready("a"));
        runtime.breaksOnce();
        delete("a");
        eventually("said", () -> events.lines().contains("FailedKillPod: error killing pod: nobody expected this"));
        turnUntil("gone", () -> find("a").isEmpty());
        assertThat(runtime.running()).isZero();
    }

    @Test
    void aContainerSleepsBeforeItIsStoppedAndHasTheRestOfItsGrace() {
        create(with("a", new LifecycleBuilder().withPreStop(sleep(10).build())));
        eventually("ready", () -> ready("a"));
        delete("a");
        eventually("told", () -> events.lines().contains("Killing: Stopping container web"));
        assertThat(runtime.running()).isOne();
        turnUntil("gone", () -> find("a").isEmpty());
        assertThat(grace()).isBetween(2L, 20L);
    }

    @Test
    void aSleepLongerThanTheGraceEndsWithIt() {
        create(with("a", new LifecycleBuilder().withPreStop(sleep(300).build())));
        eventually("ready", () -> ready("a"));
        delete("a");
        eventually("told", () -> events.lines().contains("Killing: Stopping container web"));
        turnUntil("gone", () -> find("a").isEmpty());
        assertThat(grace()).isEqualTo(2);
    }

    private static PodBuilder withSidecars(PodBuilder pod, LifecycleBuilder hooks, String... names) {
        for (String name : names) {
            pod.editSpec()
                    .addNewInitContainer()
                    .withName(name)
                    .withImage("app:1")
                    .withRestartPolicy("Always")
                    .withLifecycle(hooks.build())
                    .endInitContainer()
                    .endSpec();
        }
        return pod;
    }

    private static LifecycleBuilder before(String command) {
        return new LifecycleBuilder()
                .withNewPreStop()
                .withNewExec()
                .withCommand(command)
                .endExec()
                .endPreStop();
    }

    @Test
    void theHooksOfSidecarsBeginWithThoseOfTheOthersAndTheirEndComesLast() {
        CountDownLatch sidecars = new CountDownLatch(2);
        List<String> hooks = new CopyOnWriteArrayList<>();
        runtime.answersExec(command -> {
            hooks.add(command.getFirst());
            if (command.getFirst().equals("beside")) {
                sidecars.countDown();
                return new ExecResult(0, new byte[0], new byte[0]);
            }
            return new ExecResult(awaited(sidecars) ? 0 : 1, new byte[0], new byte[0]);
        });
        create(withSidecars(with("a", before("main")), before("beside"), "first", "second"));
        eventually("ready", () -> ready("a"));
        delete("a");
        eventually("gone", () -> find("a").isEmpty());
        assertThat(events.lines()).doesNotContain("FailedPreStopHook: PreStopHook failed");
        assertThat(hooks).containsExactlyInAnyOrder("main", "beside", "beside");
        assertThat(runtime.calls().stream()
                        .filter(call -> call.startsWith("stop ") && !call.startsWith("stop sandbox"))
                        .map(call -> call.split(" ")[1]))
                .containsExactly("web", "second", "first");
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void allContainersOfAPodThatEndsHaveOneGrace() {
        create(withSidecars(
                with("a", new LifecycleBuilder().withPreStop(sleep(20).build()))
                        .editSpec()
                        .withActiveDeadlineSeconds(100L)
                        .endSpec(),
                new LifecycleBuilder(),
                "side"));
        eventually("ready", () -> ready("a"));
        turnUntil("failed", () -> phase("a").equals("Failed"));
        turnUntil("stopped", () -> runtime.running() == 0);
        assertThat(runtime.calls().stream()
                        .filter(call -> call.startsWith("stop side "))
                        .mapToLong(call -> Long.parseLong(call.substring("stop side ".length()))))
                .singleElement()
                .satisfies(seconds -> assertThat(seconds).isBetween(2L, 10L));
    }

    @Test
    void aSleepOfNoTimeIsNone() {
        create(with("a", new LifecycleBuilder().withPostStart(sleep(0).build()).withPreStop(sleep(0).build())));
        eventually("ready", () -> ready("a"));
        delete("a");
        eventually("gone", () -> find("a").isEmpty());
        assertThat(grace()).isEqualTo(30);
    }
}
