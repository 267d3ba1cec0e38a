package io.argosy.scheduler;

import static io.argosy.client.fake.Eventually.eventually;
import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.GroupResource;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SchedulerTest extends SchedulerFixture {
    @Test
    void aPodIsBoundAndAnEventSaysWhere() {
        createNodes(node("n1", "4", "8Gi").build());
        pods.create(pod("web").build());
        eventuallyOn("web", "n1");
        eventually("event", () -> messages("Scheduled").equals(List.of("Successfully assigned default/web to n1")));
    }

    @Test
    void aPodThatFitsNowhereSaysWhyAndIsBoundWhenANodeComes() {
        createNodes(node("small", "1", "8Gi").build());
        pods.create(pod("big", "2", "1Gi"));
        String why =
                "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are"
                        + " available: 1 Preemption is not helpful for scheduling.";
        eventually("condition", () -> !why("big").isEmpty());
        assertThat(condition("big", "PodScheduled").orElseThrow().getStatus()).isEqualTo("False");
        assertThat(condition("big", "PodScheduled").orElseThrow().getReason()).isEqualTo("Unschedulable");
        assertThat(why("big")).isEqualTo(why);
        eventually("event", () -> messages("FailedScheduling").equals(List.of(why)));

        createNodes(node("large", "4", "8Gi").build());
        eventuallyOn("big", "large");
    }

    @Test
    void aZoneThatGoesLetsAPodInThatWasSpread() {
        Node empty = Objects.labelled("b", "zone: b");
        empty.setSpec(Objects.tainted("b", "dedicated", "NoSchedule").getSpec());
        createNodes(Objects.labelled("a", "zone: a"), empty);
        String spread = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,"
                + " labelSelector: {matchLabels: {app: web}}}]";
        pods.create(Objects.podOf("first", "app: web", spread));
        eventuallyOn("first", "a");
        settle();
        pods.create(Objects.podOf("second", "app: web", spread));
        eventually("unschedulable", () -> !why("second").isEmpty());
        settle();
        nodes.delete("", "b", Resources.DeleteOptions.DEFAULT);
        clock.advance(Duration.ofSeconds(10)); // its back-off, not the five minutes after which all are tried
        eventuallyOn("second", "a");
    }

    @Test
    void aRefusedBindingShowsInTheStatusOfThePod() {
        createNodes(node("n1", "4", "8Gi").build());
        api.failOnce(
                request -> request.subresource().equals("binding"),
                ApiException.forbidden(new GroupResource("", "pods"), "web", "not today"));
        pods.create(pod("web").build());
        eventually("told", () -> condition("web", "PodScheduled").isPresent());
        assertThat(condition("web", "PodScheduled").orElseThrow().getReason()).isEqualTo("SchedulerError");
        assertThat(why("web")).isEqualTo("pods \"web\" is forbidden: not today");
    }

    @Test
    void roomThatADeletedPodLeavesIsUsed() {
        createNodes(node("n1", "2", "8Gi").build());
        pods.create(pod("a", "2", "1Gi"));
        eventuallyOn("a", "n1");
        pods.create(pod("b", "2", "1Gi"));
        eventually("unschedulable", () -> !why("b").isEmpty());
        pods.delete("default", "a", new Resources.DeleteOptions(0L, null, null, null));
        eventuallyOn("b", "n1");
    }

    @Test
    void aTaintTakenAwayLetsPodsIn() {
        createNodes(Objects.tainted("n1", "dedicated", "NoSchedule"));
        pods.create(pod("web").build());
        eventually("unschedulable", () -> !why("web").isEmpty());
        Node node = nodes.get("", "n1");
        node.getSpec().setTaints(List.of());
        nodes.update(node);
        eventuallyOn("web", "n1");
    }

    @Test
    void gatedPodsAndThoseOfOtherSchedulersAreLeftAlone() {
        createNodes(node("n1", "4", "8Gi").build());
        pods.create(pod("other").editSpec().withSchedulerName("mine").endSpec().build());
        Pod gated = pods.create(
                pod("gated").editSpec().addNewSchedulingGate("wait").endSpec().build());
        pods.create(pod("plain").build());
        eventuallyOn("plain", "n1");
        assertThat(get("other").getSpec().getNodeName()).isNull();
        assertThat(get("gated").getSpec().getNodeName()).isNull();
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
        eventually("both wait", () -> !why("low").isEmpty() && !why("high").isEmpty());
        eventually("idle", scheduler::idle);
        clock.advance(Duration.ofSeconds(10));
        createNodes(node("n1", "2", "8Gi").build());
        eventually("one bound", () -> scheduler.scheduled() == 1 && scheduler.idle());
        assertThat(get("high").getSpec().getNodeName()).isEqualTo("n1");
    }

    @Test
    void aRefusedBindingIsTriedAgainAfterItsBackOff() {
        createNodes(node("n1", "2", "8Gi").build());
        api.failOnce(SchedulerTest::isBinding, new ApiException(Reason.InternalError, "no luck"));
        pods.create(pod("web", "2", "1Gi"));
        eventually("back-off", () -> clock.waiting() == 1 && scheduler.idle());
        assertThat(get("web").getSpec().getNodeName()).isNull();
        clock.advance(Duration.ofSeconds(1));
        eventuallyOn("web", "n1");
    }

    @Test
    void aBindingWhoseAnswerWasLostIsNoFailure() {
        createNodes(node("n1", "2", "8Gi").build());
        api.loseAnswerOnce(SchedulerTest::isBinding, new ApiException(Reason.Timeout, "nobody answers"));
        pods.create(pod("web", "2", "1Gi"));
        eventually("told", () -> !messages("Scheduled").isEmpty());
        settle();
        assertThat(get("web").getSpec().getNodeName()).isEqualTo("n1");
        assertThat(condition("web", "PodScheduled").orElseThrow().getStatus()).isEqualTo("True");
        assertThat(messages("FailedScheduling")).isEmpty();
        assertThat(clock.waiting()).as("nothing to try again").isZero();
    }

    @Test
    void manyPodsAreSpreadWithoutOverfillingAnyNode() {
        for (int i = 0; i < 10; i++) {
            createNodes(node("n" + i, "4", "64Gi").build());
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
}
