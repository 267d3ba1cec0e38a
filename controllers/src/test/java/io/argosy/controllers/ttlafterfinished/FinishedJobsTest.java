package io.argosy.controllers.ttlafterfinished;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.TypedClient;
import io.argosy.client.controller.Controller;
import io.argosy.client.fake.Eventually;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are over, and a cache that has not heard how long they are to be kept. */
@Timeout(60)
class FinishedJobsTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final Client client = api.client();

    private volatile boolean asked;

    /** The API, but no news ever arrive. */
    private final ApiTransport behind = new ApiTransport() {
        @Override
        public Response send(Request request) {
            Response response = api.send(request);
            asked |= request.verb() == Verb.GET && request.name().equals("kept");
            return response;
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            return () -> {};
        }
    };

    @Test
    void aJobThatIsToBeKeptLongerIsNotDeletedThoughTheCacheSaysSo() throws InterruptedException {
        finished("kept");
        finished("over");
        SharedInformers informers = new SharedInformers(behind, clock);
        try (Controller controller = FinishedJobs.controller(new TypedClient(behind), informers, clock)) {
            informers.start();
            controller.start();
            informers.awaitSync();
            Job job = client.resources(Job.class).get("default", "kept");
            job.getSpec().setTtlSecondsAfterFinished(3600);
            client.resources(Job.class).update(job);
            Eventually.eventually("the jobs wait", controller::idle);
            clock.advance(Duration.ofSeconds(61));
            Eventually.eventually("the other goes", () -> isGoing("over"));
            Eventually.eventually("the first was looked at", () -> asked || isGoing("kept"));
            assertThat(isGoing("kept")).isFalse();
        } finally {
            informers.close();
        }
    }

    private boolean isGoing(String job) {
        return client.resources(Job.class).get("default", job).getMetadata().getDeletionTimestamp() != null;
    }

    private void finished(String name) {
        Job job = client.resources(Job.class)
                .create(new JobBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withTtlSecondsAfterFinished(60)
                        .endSpec()
                        .build());
        client.resources(Job.class)
                .updateStatus(new JobBuilder(job)
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Complete")
                        .withStatus("True")
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .endCondition()
                        .endStatus()
                        .build());
    }
}
