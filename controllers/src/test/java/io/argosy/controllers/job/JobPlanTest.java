package io.argosy.controllers.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The decisions for Jobs. Pods are written as letters: r runs, t runs and is on its way out, s has succeeded and f has failed long
 * ago, both not yet counted. An indexed Job has a digit behind each.
 */
class JobPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @ParameterizedTest(name = "{0} of {1}, counted {2} and {3}, pods {4}: create {5}, drop {6}, end {7}")
    @CsvSource({
        // parallelism, completions, succeeded, failed, pods, create, drop, finish
        "1, 1, , , '', 1, 0, ",
        "1, 1, , , r, 0, 0, ",
        "1, 1, , , s, 0, 0, CompletionsReached",
        "1, 1, , , f, 1, 0, ",
        "2, 4, , , '', 2, 0, ",
        "2, 4, , , rs, 1, 0, ",
        "2, 4, 2, , r, 1, 0, ",
        "2, 4, 3, , r, 0, 0, ",
        "2, 4, 3, , s, 0, 0, CompletionsReached",
        "2, 4, , , rrr, 0, 1, ",
        "0, 4, , , rr, 0, 2, ",
        "5, , , , rr, 3, 0, ",
        "5, , , , rs, 0, 0, ", // a queue of work: when one has succeeded no more are started
        "5, , , , s, 0, 0, CompletionsReached",
        "1, 1, , 3, '', 0, 0, BackoffLimitExceeded",
        "1, 1, , 2, f, 0, 0, BackoffLimitExceeded",
        "1, 1, , 1, f, 1, 0, ",
        "1, 1, , , t, 1, 0, ", // a pod on its way out has failed
        "1, 1, , 2, t, 0, 0, BackoffLimitExceeded"
    })
    void asManyRunAsAreStillNeeded(
            int parallelism,
            Integer completions,
            Integer succeeded,
            Integer failed,
            String pods,
            int create,
            int drop,
            String finish) {
        Job job = new JobBuilder(job(parallelism, completions))
                .withNewStatus()
                .withStartTime(NOW.minusSeconds(3600).toString())
                .withSucceeded(succeeded)
                .withFailed(failed)
                .endStatus()
                .build();
        JobPlan plan = JobPlan.decide(job, pods(pods), NOW);
        assertThat(plan.create()).hasSize(create);
        assertThat(plan.drop()).hasSize(drop);
        assertThat(plan.finish() == null ? null : plan.finish().getReason()).isEqualTo(finish);
        if (finish != null) {
            assertThat(plan.end())
                    .as("what still runs is ended")
                    .hasSize(pods.replaceAll("[^r]", "").length());
        }
    }

    @ParameterizedTest(name = "{0}: pods {1} create {2}, counted as failed {3}")
    @CsvSource({
        "TerminatingOrFailed, t, 1, 1",
        "TerminatingOrFailed, f, 1, 1",
        "Failed, t, 0, 0",
        "Failed, f, 1, 1",
        "Failed, tr, 0, 0"
    })
    void aPodOnItsWayOutIsReplacedByThePolicy(String policy, String pods, int create, int failed) {
        Job job = job(1, 1);
        job.getSpec().setPodReplacementPolicy(policy);
        JobPlan plan = JobPlan.decide(job, pods(pods), NOW);
        assertThat(plan.create()).hasSize(create);
        assertThat(plan.tally().allFailed()).isEqualTo(failed);
    }

    @ParameterizedTest(name = "completed {0}, pods {1}: start {2}, drop {3}")
    @CsvSource({
        "'', '', 0 1, ''",
        "'', r0, 1, ''",
        "'', s0 r1, 2, ''",
        "'0-1', '', 2 3, ''",
        "'0,2', r1, 3, ''",
        "'', r0 r0, '', r0", // two of one index
        "'0', r0 r1, '', r0", // one whose index is done
        "'', r9 r1, '', r9", // one of an index that there is not
        "'0-2', s3, '', ''"
    })
    void everyIndexHasOnePod(String completed, String pods, String start, String drop) {
        Job job = new JobBuilder(job(2, 4))
                .editSpec()
                .withCompletionMode("Indexed")
                .endSpec()
                .withNewStatus()
                .withCompletedIndexes(completed.isEmpty() ? null : completed)
                .endStatus()
                .build();
        JobPlan plan = JobPlan.decide(job, indexed(pods), NOW);
        assertThat(String.join(
                        " ",
                        plan.create().stream()
                                .map(place -> Integer.toString(place.index()))
                                .toList()))
                .isEqualTo(start);
        assertThat(String.join(
                        " ",
                        plan.drop().stream()
                                .map(pod -> "r" + JobPods.index(pod))
                                .toList()))
                .isEqualTo(drop);
    }

    @Test
    void aDeadlineIsWaitedForAndThenEndsTheJob() {
        Job job = new JobBuilder(job(1, 1))
                .editSpec()
                .withActiveDeadlineSeconds(100L)
                .endSpec()
                .withNewStatus()
                .withStartTime(NOW.minusSeconds(40).toString())
                .endStatus()
                .build();
        assertThat(JobPlan.decide(job, pods("r"), NOW).recheck()).contains(Duration.ofSeconds(60));
        JobPlan late = JobPlan.decide(job, pods("r"), NOW.plusSeconds(60));
        assertThat(late.finish().getReason()).isEqualTo("DeadlineExceeded");
        assertThat(late.end()).hasSize(1);
    }

    @Test
    void whoIsSuspendedHasNoPodsAndWhoIsGoingGetsNone() {
        Job suspended = job(2, 2);
        suspended.getSpec().setSuspend(true);
        JobPlan plan = JobPlan.decide(suspended, pods("rr"), NOW);
        assertThat(plan.drop()).hasSize(2);
        assertThat(plan.suspension().getReason()).isEqualTo("JobSuspended");
        Job going = job(2, 2);
        going.getMetadata().setDeletionTimestamp(NOW.toString());
        assertThat(JobPlan.decide(going, List.of(), NOW).create()).isEmpty();
    }

    private static Job job(int parallelism, Integer completions) {
        Job job = new JobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("pi")
                .withUid("uid-pi")
                .endMetadata()
                .withNewSpec()
                .withParallelism(parallelism)
                .withCompletions(completions)
                .withBackoffLimit(2)
                .withTemplate(Manifests.template("pi", "perl"))
                .endSpec()
                .build();
        job.getSpec().getTemplate().getSpec().setRestartPolicy("Never");
        return job;
    }

    private static List<Pod> pods(String written) {
        List<Pod> pods = new ArrayList<>();
        for (char state : written.toCharArray()) {
            pods.add(pod(state, pods.size(), JobPods.NO_INDEX));
        }
        return pods;
    }

    private static List<Pod> indexed(String written) {
        List<Pod> pods = new ArrayList<>();
        for (String one : written.split(" ")) {
            if (!one.isEmpty()) {
                pods.add(pod(one.charAt(0), pods.size(), one.charAt(1) - '0'));
            }
        }
        return pods;
    }

    private static Pod pod(char state, int number, int index) {
        return new PodBuilder(Manifests.pod("p" + number, Map.of("job-name", "pi")))
                .editMetadata()
                .withUid("uid-" + number)
                .withCreationTimestamp(NOW.minusSeconds(3000 - number).toString())
                .withDeletionTimestamp(state == 't' ? NOW.minusSeconds(1000).toString() : null)
                .addToFinalizers(JobPods.FINALIZER)
                .addToAnnotations(JobPods.INDEX, Integer.toString(index))
                .endMetadata()
                .withNewStatus()
                .withPhase(state == 's' ? "Succeeded" : state == 'f' ? "Failed" : "Running")
                .addNewContainerStatus()
                .withName("main")
                .withNewState()
                .withNewTerminated()
                .withExitCode(state == 'f' ? 1 : 0)
                .withFinishedAt(NOW.minusSeconds(2000).toString())
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
    }
}
