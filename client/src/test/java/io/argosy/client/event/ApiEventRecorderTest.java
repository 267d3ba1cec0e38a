package io.argosy.client.event;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder.Type;
import io.argosy.client.fake.FakeApi;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ApiEventRecorderTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-15T10:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final ApiEventRecorder recorder = new ApiEventRecorder(api.client(), "kubelet", "node-1", clock);
    private final Pod pod = new PodBuilder()
            .withNewMetadata()
            .withName("web")
            .withNamespace("shop")
            .withUid("u1")
            .endMetadata()
            .build();

    @AfterEach
    void close() {
        recorder.close();
    }

    @Test
    void anEventSaysWhatHappenedToWhatAndWhoSaysSo() {
        record("Pulled", "Image is there");
        Event event = written().getFirst();
        assertThat(event.getMetadata().getName()).matches("web\\.[0-9a-f]{16}");
        assertThat(event.getMetadata().getNamespace()).isEqualTo("shop");
        assertThat(event.getInvolvedObject().getKind()).isEqualTo("Pod");
        assertThat(event.getInvolvedObject().getUid()).isEqualTo("u1");
        assertThat(event.getSource().getComponent()).isEqualTo("kubelet");
        assertThat(event.getSource().getHost()).isEqualTo("node-1");
        assertThat(event.getReportingComponent()).isEqualTo("kubelet");
        assertThat(event.getType()).isEqualTo("Normal");
        assertThat(event.getFirstTimestamp()).isEqualTo("2026-11-15T10:00:00Z");
        assertThat(event.getCount()).isEqualTo(1);
    }

    @Test
    void aRepeatedEventIsCounted() {
        record("Pulled", "Image is there");
        clock.advance(Duration.ofMinutes(1));
        record("Pulled", "Image is there");
        assertThat(written()).singleElement().satisfies(event -> {
            assertThat(event.getCount()).isEqualTo(2);
            assertThat(event.getLastTimestamp()).isEqualTo("2026-11-15T10:01:00Z");
            assertThat(event.getFirstTimestamp()).isEqualTo("2026-11-15T10:00:00Z");
        });
    }

    @Test
    void aRepeatedEventThatTheServerForgotIsWrittenAnew() {
        record("Pulled", "Image is there");
        Event first = written().getFirst();
        api.client()
                .resources(Event.class)
                .delete("shop", first.getMetadata().getName(), Resources.DeleteOptions.DEFAULT);
        record("Pulled", "Image is there");
        assertThat(written())
                .singleElement()
                .satisfies(event -> assertThat(event.getCount()).isEqualTo(2));
    }

    @Test
    void similarEventsAreCombinedAfterTheTenth() {
        for (int i = 0; i < 12; i++) {
            record("Failed", "try " + i);
        }
        List<Event> events = written();
        assertThat(events).hasSize(10);
        assertThat(events)
                .filteredOn(event -> event.getMessage().startsWith("(combined from similar events): "))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getMessage()).isEqualTo("(combined from similar events): try 11");
                    assertThat(event.getCount()).isEqualTo(3);
                });
    }

    @Test
    void aFloodAboutOneObjectIsCutOff() {
        for (int i = 0; i < 40; i++) {
            record("Failed", "same");
        }
        assertThat(written().getFirst().getCount()).isEqualTo(25);
        clock.advance(Duration.ofMinutes(5));
        record("Failed", "same");
        assertThat(written().getFirst().getCount()).isEqualTo(41);
    }

    @Test
    void aRefusedEventIsGivenUp() {
        api.failOnce(request -> request.verb() == Verb.CREATE, new IllegalStateException("no"));
        record("A", "lost");
        record("B", "kept");
        assertThat(written())
                .singleElement()
                .satisfies(event -> assertThat(event.getReason()).isEqualTo("B"));
    }

    private void record(String reason, String message) {
        recorder.event(pod, Type.Normal, reason, message);
    }

    private List<Event> written() {
        eventually("written", recorder::idle);
        return api.client().resources(Event.class).list("shop", Map.of());
    }
}
