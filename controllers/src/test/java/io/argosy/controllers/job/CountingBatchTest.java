package io.argosy.controllers.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.UncountedTerminatedPods;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many finished pods one pass over a Job counts and lets go. */
class CountingBatchTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "{0} succeeded and {1} failed: {2} counted, the Job decided by {3}, at its end {4}")
    @CsvSource({
        "3, 0, 3, , true",
        "1000, 0, 500, CompletionsReached, false",
        "500, 0, 500, , true",
        "300, 300, 500, , false",
        "0, 600, 500, , false",
        "0, 1200, 500, BackoffLimitExceeded, false"
    })
    void allDecideAndFiveHundredAreCounted(int succeeded, int failed, int counted, String decided, boolean last) {
        JobPlan plan = JobPlan.decide(job(), pods(succeeded, failed), NOW);
        assertThat(plan.release()).hasSize(counted);
        assertThat(plan.tally().countingSucceeded().size()
                        + plan.tally().countingFailed().size())
                .isEqualTo(counted);
        assertThat(plan.finish() == null ? null : plan.finish().getReason()).isEqualTo(decided);
        assertThat(plan.last()).isEqualTo(last);
    }

    @Test
    void theNextPassGoesOnWithThoseThatWereWrittenDown() {
        Job job = job();
        List<Pod> pods = pods(700, 0);
        List<String> noted = pods.subList(600, 700).stream()
                .map(pod -> pod.getMetadata().getUid())
                .toList();
        job.setStatus(new io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder()
                .withSucceeded(300)
                .withUncountedTerminatedPods(new UncountedTerminatedPods(List.of(), noted))
                .build());
        JobPlan plan = JobPlan.decide(job, pods, NOW);
        assertThat(plan.finish().getReason()).isEqualTo("CompletionsReached");
        assertThat(plan.last()).isFalse();
        assertThat(plan.tally().countingSucceeded()).hasSize(500).containsAll(noted);
        assertThat(plan.tally().allSucceeded()).isEqualTo(800);
    }

    @Test
    void ofAnIndexedJobTheLowestNewIndexesComeFirstAndKnownOnesCostNothing() {
        Job job = new JobBuilder(job())
                .editSpec()
                .withCompletionMode("Indexed")
                .endSpec()
                .withNewStatus()
                .withCompletedIndexes("0-99")
                .endStatus()
                .build();
        JobPlan plan = JobPlan.decide(job, pods(1000, 0).reversed(), NOW);
        assertThat(plan.release()).extracting(JobPods::index).hasSize(600).contains(0, 99, 100, 599);
        assertThat(plan.tally().completed()).hasToString("0-999");
        assertThat(plan.tally().countingSucceeded()).isEmpty();
        assertThat(plan.last()).isFalse();
    }

    private static Job job() {
        Job job = new JobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("pi")
                .withUid("uid-pi")
                .endMetadata()
                .withNewSpec()
                .withParallelism(1000)
                .withCompletions(1000)
                .withBackoffLimit(1000)
                .withTemplate(Manifests.template("pi", "perl"))
                .endSpec()
                .build();
        job.getSpec().getTemplate().getSpec().setRestartPolicy("Never");
        return job;
    }

    private static List<Pod> pods(int succeeded, int failed) {
        return IntStream.range(0, succeeded + failed)
                .mapToObj(number -> pod(number, number < succeeded ? "Succeeded" : "Failed"))
                .toList();
    }

    private static Pod pod(int number, String phase) {
        return new PodBuilder(Manifests.pod("p" + number, Map.of("job-name", "pi")))
                .editMetadata()
                .withUid("uid-" + number)
                .withCreationTimestamp(NOW.minusSeconds(3000).toString())
                .addToFinalizers(JobPods.FINALIZER)
                .addToAnnotations(JobPods.INDEX, Integer.toString(number))
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .endStatus()
                .build();
    }
}
