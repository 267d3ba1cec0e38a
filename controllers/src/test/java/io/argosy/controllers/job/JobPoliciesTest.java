package io.argosy.controllers.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.Manifests;
import io.argosy.controllers.job.FailurePolicy.Action;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Jobs make of pods that failed and of indexes that succeeded. */
class JobPoliciesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

    @ParameterizedTest(name = "exit code {0} of {1}, condition {2}: {3}")
    @CsvSource({
        "42, main, , FAIL_JOB",
        "42, side, , COUNT",
        "7, main, , COUNT",
        "0, main, , COUNT",
        "1, main, DisruptionTarget, IGNORE",
        "42, main, DisruptionTarget, IGNORE",
        "99, side, , FAIL_INDEX",
        "98, side, , COUNT"
    })
    void theFirstRuleThatFitsDecides(int code, String container, String condition, Action action) {
        Job job = new JobBuilder(job())
                .editSpec()
                .withNewPodFailurePolicy()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endOnPodCondition()
                .endRule()
                .addNewRule()
                .withAction("FailJob")
                .withNewOnExitCodes()
                .withContainerName("main")
                .withOperator("In")
                .withValues(40, 41, 42)
                .endOnExitCodes()
                .endRule()
                .addNewRule()
                .withAction("Count")
                .withNewOnExitCodes()
                .withOperator("NotIn")
                .withValues(99)
                .endOnExitCodes()
                .endRule()
                .addNewRule()
                .withAction("FailIndex")
                .withNewOnExitCodes()
                .withOperator("In")
                .withValues(99)
                .endOnExitCodes()
                .endRule()
                .endPodFailurePolicy()
                .endSpec()
                .build();
        Pod pod = failed("p", -1, code, container, condition);
        assertThat(FailurePolicy.of(job, pod).action()).isEqualTo(action);
        if (action == Action.FAIL_JOB) {
            assertThat(FailurePolicy.of(job, pod).message())
                    .isEqualTo(
                            "Container main for pod default/p failed with exit code 42 matching FailJob rule at index 1");
        }
        if (action == Action.IGNORE) {
            assertThat(FailurePolicy.of(job, pod).message())
                    .isEqualTo("Pod default/p has condition DisruptionTarget matching Ignore rule at index 0");
        }
    }

    @ParameterizedTest(name = "indexes {0}, count {1}, succeeded {2}: {3}")
    @CsvSource({
        "'0,2-3', , '0-3', true",
        "'0,2-3', , '0,2', false",
        "'0,2-3', 2, '0,2', true",
        "'0,2-3', 2, '0-1', false",
        ", 3, '5-7', true",
        ", 3, '5-6', false"
    })
    void someIndexesAreEnough(String indexes, Integer count, String succeeded, boolean met) {
        Job job = new JobBuilder(job())
                .editSpec()
                .withNewSuccessPolicy()
                .addNewRule()
                .withSucceededIndexes("9")
                .endRule()
                .addNewRule()
                .withSucceededIndexes(indexes)
                .withSucceededCount(count)
                .endRule()
                .endSuccessPolicy()
                .endSpec()
                .build();
        assertThat(SuccessRules.met(job, Indexes.parse(succeeded, 10)).orElse(null))
                .isEqualTo(met ? "Matched rules at index 1" : null);
    }

    @Test
    void everyIndexHasItsOwnTriesAndItsOwnWait() {
        Job job = limited(1, null);
        Pod first = failed("a", 0, 1, "main", null);
        JobPlan waiting = JobPlan.decide(job, List.of(first), NOW);
        assertThat(waiting.create()).extracting(JobPlan.Place::index).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(waiting.recheck()).contains(Duration.ofSeconds(10));

        JobPlan again = JobPlan.decide(job, List.of(first), NOW.plusSeconds(10));
        assertThat(again.create().getFirst()).isEqualTo(new JobPlan.Place(0, new IndexFailures.Count(1, 0)));
        assertThat(again.tally().failedIndexes().size()).isZero();

        Pod second = failed("b", 0, 1, "main", null);
        second.getMetadata().getAnnotations().put(IndexFailures.FAILED, "1");
        JobPlan spent = JobPlan.decide(job, List.of(first, second), NOW.plusSeconds(100));
        assertThat(spent.tally().failedIndexes()).hasToString("0");
        assertThat(spent.create()).extracting(JobPlan.Place::index).doesNotContain(0);
        assertThat(spent.finish()).isNull();
    }

    @Test
    void thePodThatCarriesTheNumbersOfAnIndexIsKeptUntilTheNextOneCarriesThem() {
        Job job = limited(2, null);
        Pod first = failed("a", 0, 1, "main", null);
        Pod second = failed("b", 0, 1, "main", null);
        second.getMetadata().getAnnotations().put(IndexFailures.FAILED, "1");
        JobPlan waiting = JobPlan.decide(job, List.of(first, second), NOW);
        assertThat(waiting.release()).containsExactly(first);
        assertThat(waiting.tally().countingFailed()).containsExactly("uid-a");

        Pod third = new PodBuilder(failed("c", 0, 1, "main", null))
                .editStatus()
                .withPhase("Running")
                .endStatus()
                .build();
        third.getMetadata().getAnnotations().put(IndexFailures.FAILED, "2");
        assertThat(JobPlan.decide(job, List.of(first, second, third), NOW).release())
                .containsExactly(first, second);

        job.getMetadata().setDeletionTimestamp(NOW.toString());
        assertThat(JobPlan.decide(job, List.of(first, second), NOW).release()).containsExactly(first, second);
    }

    @Test
    void whatIsNobodysFaultDoesNotCountWhenTheJobFailsEither() {
        Job job = new JobBuilder(job())
                .editSpec()
                .withNewPodFailurePolicy()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition("True", "DisruptionTarget")
                .endRule()
                .addNewRule()
                .withAction("FailJob")
                .withNewOnExitCodes()
                .withOperator("In")
                .withValues(42)
                .endOnExitCodes()
                .endRule()
                .endPodFailurePolicy()
                .endSpec()
                .build();
        JobPlan plan = JobPlan.decide(
                job, List.of(failed("a", 0, 42, "main", null), failed("b", 1, 1, "main", "DisruptionTarget")), NOW);
        assertThat(plan.finish().getReason()).isEqualTo("PodFailurePolicy");
        assertThat(plan.tally().countingFailed()).containsExactly("uid-a");
        assertThat(plan.release()).hasSize(2);
    }

    @Test
    void tooManyFailedIndexesEndTheJob() {
        Job job = limited(0, 1);
        JobPlan plan =
                JobPlan.decide(job, List.of(failed("a", 0, 1, "main", null), failed("b", 3, 1, "main", null)), NOW);
        assertThat(plan.finish().getReason()).isEqualTo("MaxFailedIndexesExceeded");
    }

    @Test
    void aJobWithFailedIndexesFailsWhenAllOthersAreDone() {
        Job job = limited(0, null);
        job.setStatus(new io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder()
                .withCompletedIndexes("1-9")
                .build());
        JobPlan plan = JobPlan.decide(job, List.of(failed("a", 0, 1, "main", null)), NOW);
        assertThat(plan.finish().getReason()).isEqualTo("FailedIndexes");
        assertThat(plan.finish().getMessage()).isEqualTo("Job has failed indexes");
    }

    private static Job limited(int limit, Integer mostFailed) {
        return new JobBuilder(job())
                .editSpec()
                .withBackoffLimit(Integer.MAX_VALUE)
                .withBackoffLimitPerIndex(limit)
                .withMaxFailedIndexes(mostFailed)
                .endSpec()
                .build();
    }

    private static Job job() {
        return new JobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("pi")
                .withUid("uid-pi")
                .endMetadata()
                .withNewSpec()
                .withCompletionMode("Indexed")
                .withCompletions(10)
                .withParallelism(10)
                .withTemplate(Manifests.template("pi", "perl"))
                .endSpec()
                .build();
    }

    private static Pod failed(String name, int index, int code, String container, String condition) {
        Pod pod = new PodBuilder(Manifests.pod(name, Map.of("job-name", "pi")))
                .editMetadata()
                .withUid("uid-" + name)
                .addToFinalizers(JobPods.FINALIZER)
                .addToAnnotations(JobPods.INDEX, Integer.toString(index))
                .endMetadata()
                .withNewStatus()
                .withPhase("Failed")
                .addNewContainerStatus()
                .withName(container)
                .withNewState()
                .withNewTerminated()
                .withExitCode(code)
                .withFinishedAt("2026-01-01T00:01:00Z")
                .endTerminated()
                .endState()
                .endContainerStatus()
                .endStatus()
                .build();
        return condition == null
                ? pod
                : new PodBuilder(pod)
                        .editStatus()
                        .addNewCondition()
                        .withType(condition)
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build();
    }
}
