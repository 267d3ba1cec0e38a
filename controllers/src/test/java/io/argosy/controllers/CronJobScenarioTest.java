package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Resources.DeleteOptions;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobFluent;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CronJobs as the clock goes round. It stands at midnight when a test begins. */
@Timeout(120)
class CronJobScenarioTest {
    private static final long MIDNIGHT = 1767225600L / 60;
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aJobIsStartedEveryMinuteAndOnlyTheLastOnesAreKept() {
        cluster.outcome = pod -> "Succeeded";
        create("*/1 * * * *", spec -> spec.withSuccessfulJobsHistoryLimit(3).withFailedJobsHistoryLimit(1));
        for (int minute = 1; minute <= 5; minute++) {
            minutes(1);
        }
        assertThat(jobs())
                .containsExactly("hello-" + (MIDNIGHT + 3), "hello-" + (MIDNIGHT + 4), "hello-" + (MIDNIGHT + 5));
        assertThat(status().getLastScheduleTime()).isEqualTo("2026-01-01T00:05:00Z");
        assertThat(status().getLastSuccessfulTime()).isEqualTo("2026-01-01T00:05:00Z");
        assertThat(status().getActive()).isEmpty();
        Job job = cluster.resources(Job.class).get("default", "hello-" + (MIDNIGHT + 5));
        assertThat(job.getMetadata().getAnnotations())
                .containsEntry("batch.kubernetes.io/cronjob-scheduled-timestamp", "2026-01-01T00:05:00Z");
        assertThat(job.getMetadata().getLabels()).containsEntry("from", "cron");
        assertThat(cluster.told())
                .contains("Normal CronJob/hello SuccessfulCreate: Created job hello-" + (MIDNIGHT + 1))
                .contains("Normal CronJob/hello SawCompletedJob: Saw completed job: hello-" + (MIDNIGHT + 1)
                        + ", condition: Complete")
                .contains("Normal CronJob/hello SuccessfulDelete: Deleted job hello-" + (MIDNIGHT + 1));
    }

    @Test
    void aStrangersJobOfThatTimeIsLetBeAndTheNextTimeCounts() {
        cluster.create(new JobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("hello-" + (MIDNIGHT + 1))
                .endMetadata()
                .withNewSpec()
                .withSuspend(true)
                .withTemplate(Manifests.template("hello", "busybox"))
                .endSpec()
                .build());
        create("* * * * *", spec -> spec);
        minutes(1);
        minutes(1);
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 1), "hello-" + (MIDNIGHT + 2));
        assertThat(cluster.told()).noneMatch(event -> event.contains("FailedCreate"));
        assertThat(status().getActive()).hasSize(1);
    }

    @Test
    void allowedJobsRunSideBySide() {
        create("* * * * *", spec -> spec.withConcurrencyPolicy("Allow"));
        minutes(1);
        minutes(1);
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 1), "hello-" + (MIDNIGHT + 2));
        assertThat(status().getActive()).hasSize(2);
    }

    @Test
    void aForbiddenJobWaitsUntilTheOneBeforeItHasEnded() {
        create("* * * * *", spec -> spec.withConcurrencyPolicy("Forbid"));
        minutes(1);
        minutes(1);
        minutes(1);
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 1));
        assertThat(cluster.told())
                .contains("Normal CronJob/hello JobAlreadyActive: Not starting job because prior execution is running"
                        + " and concurrency policy is Forbid");
        cluster.outcome = pod -> "Succeeded";
        cluster.pods().forEach(pod -> cluster.resources(Pod.class).updateStatus(cluster.finished(pod, "Succeeded")));
        cluster.eventually("the last missed one starts", () -> jobs().contains("hello-" + (MIDNIGHT + 3)));
        assertThat(jobs()).doesNotContain("hello-" + (MIDNIGHT + 2));
    }

    @Test
    void aReplacedJobGoesWithItsPods() {
        create("* * * * *", spec -> spec.withConcurrencyPolicy("Replace"));
        minutes(1);
        cluster.eventually("its pod runs", () -> cluster.livingPods().stream().anyMatch(Pods::isReady));
        minutes(1);
        cluster.eventually("replaced", () -> jobs().equals(List.of("hello-" + (MIDNIGHT + 2))));
        cluster.eventually(
                "old pod gone",
                () -> cluster.pods().stream()
                        .allMatch(pod -> pod.getMetadata().getName().startsWith("hello-" + (MIDNIGHT + 2))));
        cluster.settle();
        assertThat(status().getActive())
                .extracting(active -> active.getName())
                .containsExactly("hello-" + (MIDNIGHT + 2));
    }

    @Test
    void aSuspendedCronJobStartsNothingAndMakesUpForTheLastTimeOnly() {
        create("* * * * *", spec -> spec.withSuspend(true));
        minutes(5);
        assertThat(jobs()).isEmpty();
        change(spec -> spec.withSuspend(false));
        cluster.eventually("one made up for", () -> !jobs().isEmpty());
        cluster.settle();
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 5));
    }

    @Test
    void timesPastTheirDeadlineAreNotMadeUpFor() {
        create("0 * * * *", spec -> spec.withSuspend(true).withStartingDeadlineSeconds(60L));
        minutes(90);
        change(spec -> spec.withSuspend(false));
        cluster.settle();
        assertThat(jobs()).isEmpty();
        minutes(30);
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 120));
    }

    @Test
    void moreThanAHundredMissedTimesAreToldOf() {
        create("* * * * *", spec -> spec.withSuspend(true));
        minutes(150);
        change(spec -> spec.withSuspend(false));
        cluster.eventually("started", () -> jobs().equals(List.of("hello-" + (MIDNIGHT + 150))));
        assertThat(cluster.told())
                .contains("Warning CronJob/hello TooManyMissedTimes: too many missed start times. Set or decrease"
                        + " .spec.startingDeadlineSeconds or check clock skew");
    }

    @Test
    void theTimeZoneDecidesWhenADayBegins() {
        create("0 0 * * *", spec -> spec.withTimeZone("Asia/Tokyo"));
        minutes(15 * 60 - 1);
        assertThat(jobs()).isEmpty();
        minutes(1);
        assertThat(jobs()).containsExactly("hello-" + (MIDNIGHT + 15 * 60));
        assertThat(cluster.resources(Job.class)
                        .get("default", jobs().getFirst())
                        .getMetadata()
                        .getAnnotations())
                .containsEntry("batch.kubernetes.io/cronjob-scheduled-timestamp", "2026-01-02T00:00:00+09:00");
    }

    @Test
    void whatCannotBeReadIsToldOf() {
        create("61 * * * *", spec -> spec);
        cluster.settle();
        assertThat(cluster.told())
                .contains("Warning CronJob/hello UnparseableSchedule: unparseable schedule: \"61 * * * *\" : end of"
                        + " range (61) above maximum (59): 61");
        change(spec -> spec.withTimeZone("Mars/Olympus"));
        cluster.settle();
        assertThat(cluster.told())
                .contains("Warning CronJob/hello UnknownTimeZone: invalid timeZone: \"Mars/Olympus\": unknown time zone"
                        + " Mars/Olympus");
    }

    @Test
    void aJobThatSomebodyDeletedIsNoLongerActive() {
        create("* * * * *", spec -> spec);
        minutes(1);
        cluster.resources(Job.class).delete("default", jobs().getFirst(), DeleteOptions.background());
        cluster.eventually("forgotten", () -> status().getActive().isEmpty());
        assertThat(cluster.told())
                .contains("Normal CronJob/hello MissingJob: Active job went missing: hello-" + (MIDNIGHT + 1));
    }

    /** Turns the clock minute by minute to the next full one, so that everybody has had their say about each. */
    private void minutes(int count) {
        for (int i = 0; i < count; i++) {
            cluster.settle();
            long past = cluster.clock.now().toEpochMilli() % 60_000;
            cluster.clock.advance(Duration.ofMillis(60_000 - past));
            cluster.settle();
        }
    }

    private void create(String schedule, UnaryOperator<CronJobFluent<CronJobBuilder>.SpecNested<CronJobBuilder>> more) {
        PodTemplateSpec template = Manifests.template("hello", "busybox");
        template.getSpec().setRestartPolicy("Never");
        CronJobFluent<CronJobBuilder>.SpecNested<CronJobBuilder> spec = new CronJobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("hello")
                .endMetadata()
                .withNewSpec()
                .withSchedule(schedule)
                .withNewJobTemplate()
                .withNewMetadata()
                .withLabels(Map.of("from", "cron"))
                .endMetadata()
                .withNewSpec()
                .withCompletions(1)
                .withParallelism(1)
                .withTemplate(template)
                .endSpec()
                .endJobTemplate();
        cluster.create(more.apply(spec).endSpec().build());
        cluster.settle();
    }

    private void change(UnaryOperator<CronJobFluent<CronJobBuilder>.SpecNested<CronJobBuilder>> change) {
        CronJob cron = cluster.resources(CronJob.class).get("default", "hello");
        cron.getMetadata().setResourceVersion(null);
        cluster.resources(CronJob.class)
                .update(change.apply(new CronJobBuilder(cron).editSpec())
                        .endSpec()
                        .build());
    }

    private CronJobStatus status() {
        return cluster.resources(CronJob.class).get("default", "hello").getStatus();
    }

    private List<String> jobs() {
        return cluster.resources(Job.class).list("default", Map.of()).stream()
                .map(job -> job.getMetadata().getName())
                .sorted()
                .toList();
    }
}
