package io.argosy.scheduler;

import static io.argosy.client.fake.Eventually.eventually;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.Resources;
import io.argosy.client.event.ApiEventRecorder;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A scheduler over an API in memory, on a clock that the test turns. */
@Timeout(60)
abstract class SchedulerFixture {
    final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    final FakeApi api = new FakeApi(clock);
    final Resources<Pod> pods = api.client().resources(Pod.class);
    final Resources<Node> nodes = api.client().resources(Node.class);
    final SharedInformers informers = new SharedInformers(api, clock);
    final ApiEventRecorder events = new ApiEventRecorder(api.client(), Scheduler.NAME, "", clock);
    Scheduler scheduler;

    @BeforeEach
    void start() throws InterruptedException {
        scheduler = new Scheduler(
                api.client(),
                informers,
                name -> events,
                clock,
                List.of(Profile.DEFAULT, Profile.named("careless").without("TaintToleration")),
                new SplittableRandom(1));
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

    /** Creates nodes and waits until the scheduler knows them, since nodes and pods reach it by different ways. */
    void createNodes(Node... all) {
        for (Node node : all) {
            nodes.create(node);
        }
        settle();
    }

    /** Waits until everybody has heard and said everything: nothing was asked of the API while nobody was busy. */
    void settle() {
        eventually("everybody has had their say", () -> {
            int before = api.requests().size();
            return scheduler.idle()
                    && events.idle()
                    && informers.idle()
                    && scheduler.idle()
                    && events.idle()
                    && api.requests().size() == before;
        });
    }

    Pod get(String pod) {
        return pods.get("default", pod);
    }

    void eventuallyOn(String pod, String node) {
        eventually(pod + " on " + node, () -> node.equals(get(pod).getSpec().getNodeName()));
    }

    Optional<PodCondition> condition(String pod, String type) {
        Pod found = get(pod);
        return found.getStatus() == null || found.getStatus().getConditions() == null
                ? Optional.empty()
                : found.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals(type))
                        .findFirst();
    }

    /** Why the pod has no node yet, or an empty string while nobody has said. */
    String why(String pod) {
        return condition(pod, "PodScheduled").map(PodCondition::getMessage).orElse("");
    }

    List<String> messages(String reason) {
        return api.client().resources(Event.class).list("", Map.of()).stream()
                .filter(event -> event.getReason().equals(reason))
                .map(Event::getMessage)
                .toList();
    }
}
