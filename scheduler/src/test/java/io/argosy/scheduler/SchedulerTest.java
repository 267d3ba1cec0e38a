package io.argosy.scheduler;

import static io.argosy.client.fake.Eventually.eventually;
import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.Resources;
import io.argosy.client.event.ApiEventRecorder;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SchedulerTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Resources<Pod> pods = api.client().resources(Pod.class);
    private final Resources<Node> nodes = api.client().resources(Node.class);
    private final SharedInformers informers = new SharedInformers(api, clock);
    private final ApiEventRecorder events = new ApiEventRecorder(api.client(), Scheduler.NAME, "", clock);
    private Scheduler scheduler;

    @BeforeEach
    void start() throws InterruptedException {
        scheduler = new Scheduler(api.client(), informers, events, clock);
        informers.start();
        informers.awaitSync();
        scheduler.start();
    }

    @AfterEach
    void stop() {
        scheduler.close();
        events.close();
        informers.close();
    }

    @Test
    void aPodIsBoundAndAnEventSaysWhere() {
        nodes.create(node("n1", "4", "8Gi").build());
        pods.create(pod("web").build());
        eventuallyOn("web", "n1");
        eventually("event", () -> messages("Scheduled").equals(List.of("Successfully assigned default/web to n1")));
    }

    @Test
    void aPodThatFitsNowhereSaysWhyAndIsBoundWhenANodeComes() {
        nodes.create(node("small", "1", "8Gi").build());
        pods.create(pod("big", "2", "1Gi"));
        String why =
                "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are"
                        + " available: 1 Preemption is not helpful for scheduling.";
        eventually("condition", () -> condition("big") != null);
        assertThat(condition("big").getStatus()).isEqualTo("False");
        assertThat(condition("big").getReason()).isEqualTo("Unschedulable");
        assertThat(condition("big").getMessage()).isEqualTo(why);
        eventually("event", () -> messages("FailedScheduling").equals(List.of(why)));

        nodes.create(node("large", "4", "8Gi").build());
        eventuallyOn("big", "large");
    }

    @Test
    void roomThatADeletedPodLeavesIsUsed() {
        nodes.create(node("n1", "2", "8Gi").build());
        pods.create(pod("a", "2", "1Gi"));
        eventuallyOn("a", "n1");
        pods.create(pod("b", "2", "1Gi"));
        eventually("unschedulable", () -> condition("b") != null);
        pods.delete("default", "a", new Resources.DeleteOptions(0L, null, null, null));
        eventuallyOn("b", "n1");
    }

    @Test
    void aTaintTakenAwayLetsPodsIn() {
        nodes.create(Objects.tainted("n1", "dedicated", "NoSchedule"));
        pods.create(pod("web").build());
        eventually("unschedulable", () -> condition("web") != null);
        Node node = nodes.get("", "n1");
        node.getSpec().setTaints(List.of());
        nodes.update(node);
        eventuallyOn("web", "n1");
    }

    @Test
    void gatedPodsAndThoseOfOtherSchedulersAreLeftAlone() {
        nodes.create(node("n1", "4", "8Gi").build());
        pods.create(pod("other").editSpec().withSchedulerName("mine").endSpec().build());
        Pod gated = pods.create(
                pod("gated").editSpec().addNewSchedulingGate("wait").endSpec().build());
        pods.create(pod("plain").build());
        eventuallyOn("plain", "n1");
        assertThat(pods.get("default", "other").getSpec().getNodeName()).isNull();
        assertThat(pods.get("default", "gated").getSpec().getNodeName()).isNull();
        gated.getSpec().setSchedulingGates(List.of());
        pods.update(gated);
        eventuallyOn("gated", "n1");
    }

    @Test
    void theMoreImportantPodGoesFirst() {
        pods.create(pod("low", "2", "1Gi"));
        Pod high = pod("high", "2", "1Gi");
        high.getSpec().setPriority(1000);
        pods.create(high);
        eventually("both wait", () -> condition("low") != null && condition("high") != null);
        eventually("idle", scheduler::idle);
        clock.advance(Duration.ofSeconds(10));
        nodes.create(node("n1", "2", "8Gi").build());
        eventually("one bound", () -> scheduler.scheduled() == 1 && scheduler.idle());
        assertThat(pods.get("default", "high").getSpec().getNodeName()).isEqualTo("n1");
    }

    @Test
    void aRefusedBindingIsTriedAgainAfterItsBackOff() {
        nodes.create(node("n1", "2", "8Gi").build());
        api.failOnce(SchedulerTest::isBinding, new ApiException(Reason.InternalError, "no luck"));
        pods.create(pod("web", "2", "1Gi"));
        eventually("back-off", () -> clock.waiting() == 1 && scheduler.idle());
        assertThat(pods.get("default", "web").getSpec().getNodeName()).isNull();
        clock.advance(Duration.ofSeconds(1));
        eventuallyOn("web", "n1");
    }

    @Test
    void manyPodsAreSpreadWithoutOverfillingAnyNode() {
        for (int i = 0; i < 10; i++) {
            nodes.create(node("n" + i, "4", "64Gi").build());
        }
        for (int i = 0; i < 45; i++) {
            pods.create(pod("p" + i, "1", "1Gi"));
        }
        eventually("40 bound", () -> scheduler.scheduled() == 40 && scheduler.idle());
        for (int i = 0; i < 10; i++) {
            assertThat(pods.list("", Map.of("fieldSelector", "spec.nodeName=n" + i)))
                    .hasSize(4);
        }
    }

    private static boolean isBinding(Request request) {
        return request.subresource().equals("binding");
    }

    private void eventuallyOn(String pod, String node) {
        eventually(
                pod + " on " + node,
                () -> node.equals(pods.get("default", pod).getSpec().getNodeName()));
    }

    private PodCondition condition(String pod) {
        Pod found = pods.get("default", pod);
        return found.getStatus() == null || found.getStatus().getConditions() == null
                ? null
                : found.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals("PodScheduled"))
                        .findFirst()
                        .orElse(null);
    }

    private List<String> messages(String reason) {
        return api.client().resources(Event.class).list("", Map.of()).stream()
                .filter(event -> event.getReason().equals(reason))
                .map(Event::getMessage)
                .toList();
    }
}
