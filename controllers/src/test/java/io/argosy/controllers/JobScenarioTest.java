package io.argosy.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.json.Json;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs run their pods to the end, and know when to give up. */
@Timeout(120)
class JobScenarioTest {
    private final FakeCluster cluster = new FakeCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aJobCompletesAndItsPodIsCountedOnce() {
        cluster.outcome = pod -> "Succeeded";
        cluster.create(job(1, 1, builder -> builder));
        await("Complete");
        assertThat(status().getSucceeded()).isEqualTo(1);
        assertThat(status().getActive()).isNull();
        assertThat(status().getCompletionTime()).isNotNull();
        assertThat(condition("Complete").getReason()).isEqualTo("CompletionsReached");
        assertThat(cluster.pods())
                .hasSize(1)
                .allSatisfy(pod -> assertThat(pod.getMetadata().getFinalizers()).isEmpty());
        assertThat(cluster.told()).contains("Normal Job/pi Completed: Job completed");
    }

    @Test
    void parallelismTwoOfFourNeverRunsMoreThanTwo() {
        cluster.create(job(4, 2, builder -> builder));
        cluster.eventually("two run", () -> cluster.livingPods().size() == 2);
        cluster.settle();
        assertThat(cluster.pods()).hasSize(2);
        assertThat(status().getActive()).isEqualTo(2);
        cluster.outcome = pod -> "Succeeded";
        cluster.pods().forEach(pod -> finish(pod, "Succeeded"));
        await("Complete");
        assertThat(cluster.mostPods.get()).isLessThanOrEqualTo(2);
        assertThat(status().getSucceeded()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NonIndexed", "Indexed"})
    void aStatusNeverNamesMoreThanFiveHundredUncountedPodsAndNoneIsLost(String mode) {
        Job job = job(
                600, 600, builder -> builder.editSpec().withCompletionMode(mode).endSpec());
        cluster.create(job);
        cluster.eventually("all run", () -> cluster.livingPods().size() == 600);
        cluster.settle();
        cluster.api.holdEvents(); // so that all have ended when the controller looks
        List<Pod> running = cluster.pods();
        running.forEach(pod -> cluster.resources(Pod.class).updateStatus(cluster.finished(pod, "Succeeded")));
        int before = cluster.api.requests().size();
        cluster.api.releaseEvents();
        await("Complete");
        cluster.settle();
        assertThat(status().getSucceeded()).isEqualTo(600);
        assertThat(cluster.pods())
                .hasSize(600)
                .allSatisfy(pod -> assertThat(pod.getMetadata().getFinalizers()).isEmpty());
        List<Integer> counted = uncounted(before);
        assertThat(counted).as("uids in the statuses that were written").allMatch(count -> count <= 500);
        assertThat(counted.stream().mapToInt(count -> count).sum())
                .as("each named once; an index needs no uid")
                .isEqualTo(mode.equals("Indexed") ? 0 : 600);
        if (!mode.equals("Indexed")) { // its statuses tell all indexes from the first
            assertThat(letGoBetweenStatuses(before)).as("let go at a time").allMatch(count -> count <= 500);
        }
    }

    /** How many pods each status of the Job names that was written from then on. */
    private List<Integer> uncounted(int from) {
        return cluster.api.requests().stream()
                .skip(from)
                .filter(JobScenarioTest::isJobStatus)
                .map(request -> Json.decodeObject(request.body()).path("status").path("uncountedTerminatedPods"))
                .map(uncounted -> uncounted.path("succeeded").size()
                        + uncounted.path("failed").size())
                .toList();
    }

    /** How many pods lost their finalizer between one status of the Job and the next. */
    private List<Integer> letGoBetweenStatuses(int from) {
        List<Integer> counts = new ArrayList<>(List.of(0));
        cluster.api.requests().stream().skip(from).forEach(request -> {
            if (isJobStatus(request)) {
                counts.add(0);
            } else if (request.verb() == Verb.PATCH && request.resource().equals("pods")) {
                counts.add(counts.removeLast() + 1);
            }
        });
        return counts;
    }

    private static boolean isJobStatus(Request request) {
        return request.resource().equals("jobs") && request.subresource().equals("status");
    }

    @Test
    void failuresBackOffTenTwentyFortySecondsUntilTheLimit() {
        cluster.outcome = pod -> "Failed";
        cluster.create(
                job(1, 1, builder -> builder.editSpec().withBackoffLimit(2).endSpec()));
        cluster.eventually("first failure", () -> number(status().getFailed()) == 1);
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        cluster.advance(Duration.ofSeconds(11));
        cluster.eventually("second failure", () -> number(status().getFailed()) == 2);
        cluster.advance(Duration.ofSeconds(11));
        cluster.settle();
        assertThat(cluster.pods()).hasSize(2);
        cluster.advance(Duration.ofSeconds(10));
        await("Failed");
        assertThat(status().getFailed()).isEqualTo(3);
        assertThat(condition("Failed").getReason()).isEqualTo("BackoffLimitExceeded");
        assertThat(cluster.told())
                .contains("Warning Job/pi BackoffLimitExceeded: Job has reached the specified backoff limit");
    }

    @Test
    void aJobThatTakesTooLongIsEnded() {
        cluster.create(job(
                1,
                1,
                builder -> builder.editSpec().withActiveDeadlineSeconds(60L).endSpec()));
        cluster.eventually("runs", () -> cluster.livingPods().size() == 1);
        cluster.advance(Duration.ofSeconds(61));
        await("Failed");
        assertThat(condition("Failed").getReason()).isEqualTo("DeadlineExceeded");
        cluster.eventually("pods ended", () -> cluster.livingPods().isEmpty());
        assertThat(status().getFailed()).isEqualTo(1);
    }

    @Test
    void anIndexedJobFillsEveryIndexOnce() {
        cluster.outcome = pod -> "Succeeded";
        cluster.create(job(
                3,
                2,
                builder -> builder.editSpec().withCompletionMode("Indexed").endSpec()));
        await("Complete");
        assertThat(status().getCompletedIndexes()).isEqualTo("0-2");
        assertThat(cluster.pods())
                .extracting(pod -> pod.getSpec().getHostname())
                .containsExactlyInAnyOrder("pi-0", "pi-1", "pi-2");
        assertThat(cluster.pods()
                        .getFirst()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getEnv())
                .anySatisfy(variable -> assertThat(variable.getName()).isEqualTo("JOB_COMPLETION_INDEX"));
    }

    @Test
    void aFailureThatTheRulesCallHopelessEndsTheJobAtOnce() {
        cluster.outcome = pod -> "Failed";
        cluster.create(job(
                3,
                1,
                builder -> builder.editSpec()
                        .withNewPodFailurePolicy()
                        .addNewRule()
                        .withAction("FailJob")
                        .withNewOnExitCodes()
                        .withOperator("In")
                        .withValues(1)
                        .endOnExitCodes()
                        .endRule()
                        .endPodFailurePolicy()
                        .endSpec()));
        await("Failed");
        assertThat(condition("Failed").getReason()).isEqualTo("PodFailurePolicy");
        assertThat(condition("Failed").getMessage())
                .endsWith("failed with exit code 1 matching FailJob rule at index 0");
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
    }

    @Test
    void indexesThatFailDoNotHoldUpTheOthers() {
        cluster.outcome = pod -> pod.getSpec().getHostname().equals("pi-1") ? "Failed" : "Succeeded";
        cluster.create(job(
                3,
                3,
                builder -> builder.editSpec()
                        .withCompletionMode("Indexed")
                        .withBackoffLimit(Integer.MAX_VALUE)
                        .withBackoffLimitPerIndex(1)
                        .endSpec()));
        cluster.eventually("the others are done", () -> "0,2".equals(status().getCompletedIndexes()));
        cluster.settle();
        assertThat(condition("Failed")).isNull();
        cluster.advance(Duration.ofSeconds(11));
        await("Failed");
        assertThat(condition("Failed").getReason()).isEqualTo("FailedIndexes");
        assertThat(status().getFailedIndexes()).isEqualTo("1");
        assertThat(status().getFailed()).isEqualTo(2);
        assertThat(status().getSucceeded()).isEqualTo(2);
    }

    @Test
    void aJobSucceedsWithItsLeader() {
        cluster.outcome = pod -> pod.getSpec().getHostname().equals("pi-0") ? "Succeeded" : null;
        cluster.create(job(
                3,
                3,
                builder -> builder.editSpec()
                        .withCompletionMode("Indexed")
                        .withNewSuccessPolicy()
                        .addNewRule()
                        .withSucceededIndexes("0")
                        .endRule()
                        .endSuccessPolicy()
                        .endSpec()));
        await("Complete");
        assertThat(condition("Complete").getReason()).isEqualTo("SuccessPolicy");
        assertThat(condition("SuccessCriteriaMet").getMessage()).isEqualTo("Matched rules at index 0");
        assertThat(status().getCompletedIndexes()).isEqualTo("0");
        cluster.eventually("the others are ended", () -> cluster.livingPods().isEmpty());
    }

    @Test
    void aSuspendedJobEndsItsPodsAndResumesLater() {
        cluster.create(job(1, 1, builder -> builder));
        cluster.eventually("runs", () -> cluster.livingPods().size() == 1);
        change(builder -> builder.editSpec().withSuspend(true).endSpec());
        cluster.eventually("stopped", () -> cluster.pods().isEmpty() && condition("Suspended") != null);
        assertThat(condition("Suspended").getStatus()).isEqualTo("True");
        cluster.outcome = pod -> "Succeeded";
        change(builder -> builder.editSpec().withSuspend(false).endSpec());
        await("Complete");
        assertThat(number(status().getFailed())).isZero();
        assertThat(cluster.told())
                .contains("Normal Job/pi Suspended: Job suspended", "Normal Job/pi Resumed: Job resumed");
    }

    @Test
    void aFinishedJobGoesWhenItsTimeIsOver() {
        cluster.outcome = pod -> "Succeeded";
        cluster.create(job(
                1,
                1,
                builder -> builder.editSpec().withTtlSecondsAfterFinished(30).endSpec()));
        await("Complete");
        cluster.advance(Duration.ofSeconds(31));
        cluster.eventually(
                "collected",
                () -> cluster.resources(Job.class).list("default", Map.of()).isEmpty()
                        && cluster.pods().isEmpty());
    }

    @Test
    void aDeletedPodIsReplacedAndCountsAsFailed() {
        cluster.create(job(1, 1, builder -> builder));
        cluster.eventually("runs", () -> cluster.livingPods().size() == 1);
        cluster.resources(Pod.class)
                .delete("default", cluster.pods().getFirst().getMetadata().getName(), DeleteOptions.DEFAULT);
        cluster.eventually("counted", () -> number(status().getFailed()) == 1);
        cluster.advance(Duration.ofSeconds(45));
        cluster.eventually("replaced", () -> cluster.livingPods().size() == 1);
        assertThat(cluster.pods()).noneMatch(Pods::isDeleting);
    }

    @Test
    void aPodOnItsWayOutIsReplacedOnlyWhenItHasEndedWhereTheJobSaysSo() {
        cluster.ends = pod -> false;
        cluster.create(job(
                1,
                1,
                builder -> builder.editSpec().withPodReplacementPolicy("Failed").endSpec()));
        cluster.eventually("runs", () -> cluster.livingPods().stream().anyMatch(Pods::isReady));
        String first = cluster.pods().getFirst().getMetadata().getName();
        cluster.resources(Pod.class).delete("default", first, DeleteOptions.DEFAULT);
        cluster.eventually("on its way out", () -> number(status().getTerminating()) == 1);
        cluster.advance(Duration.ofMinutes(2));
        cluster.settle();
        assertThat(cluster.pods()).hasSize(1);
        assertThat(number(status().getFailed())).isZero();
        finish(cluster.resources(Pod.class).get("default", first), "Failed");
        cluster.eventually("counted", () -> number(status().getFailed()) == 1);
        cluster.advance(Duration.ofSeconds(15));
        cluster.eventually("replaced", () -> cluster.livingPods().size() == 1);
    }

    @Test
    void whoIsManagedByAnotherIsLeftAlone() {
        cluster.create(job(
                1,
                1,
                builder -> builder.editSpec().withManagedBy("example.com/queue").endSpec()));
        cluster.settle();
        assertThat(cluster.pods()).isEmpty();
        assertThat(cluster.resources(Job.class).get("default", "pi").getStatus())
                .isNull();
    }

    @Test
    void containersThatAreRestartedInPlaceTooOftenFailTheJob() {
        Job job = job(1, 1, builder -> builder.editSpec().withBackoffLimit(2).endSpec());
        job.getSpec().getTemplate().getSpec().setRestartPolicy("OnFailure");
        cluster.create(job);
        cluster.eventually("runs", () -> cluster.livingPods().stream().anyMatch(Pods::isReady));
        restarted(1);
        cluster.settle();
        assertThat(condition("Failed")).isNull();
        restarted(2);
        await("Failed");
        assertThat(condition("Failed").getReason()).isEqualTo("BackoffLimitExceeded");
        cluster.eventually("its pod is ended", () -> cluster.livingPods().isEmpty());
    }

    private void restarted(int times) {
        cluster.eventually("reported", () -> {
            try {
                cluster.resources(Pod.class)
                        .updateStatus(new PodBuilder(cluster.pods().getFirst())
                                .editStatus()
                                .withContainerStatuses(new ContainerStatusBuilder()
                                        .withName("main")
                                        .withRestartCount(times)
                                        .build())
                                .endStatus()
                                .build());
                return true;
            } catch (io.argosy.api.status.ApiException conflict) {
                return false;
            }
        });
    }

    @Test
    void anOrphanOfTheJobsLabelsIsTakenIn() {
        cluster.create(job(
                2,
                2,
                builder -> builder.editSpec()
                        .withManualSelector(true)
                        .withNewSelector()
                        .addToMatchLabels("app", "pi")
                        .endSelector()
                        .endSpec()));
        cluster.eventually("two run", () -> cluster.livingPods().size() == 2);
        cluster.settle();
        cluster.create(Manifests.pod("stranger", Map.of("app", "pi")));
        cluster.eventually("one too many goes", () -> cluster.livingPods().size() == 2);
        cluster.settle();
        assertThat(cluster.livingPods())
                .allSatisfy(pod ->
                        assertThat(pod.getMetadata().getOwnerReferences()).hasSize(1));
    }

    @Test
    void aJobDeletedInTheBackgroundLeavesNoPodBehind() {
        cluster.create(job(2, 2, builder -> builder));
        cluster.eventually("runs", () -> cluster.livingPods().size() == 2);
        cluster.settle();
        cluster.resources(Job.class).delete("default", "pi", DeleteOptions.background());
        cluster.eventually("collected", () -> cluster.pods().isEmpty());
    }

    private static Job job(int completions, int parallelism, UnaryOperator<JobBuilder> change) {
        Job job = new JobBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("pi")
                .endMetadata()
                .withNewSpec()
                .withCompletions(completions)
                .withParallelism(parallelism)
                .withBackoffLimit(6)
                .withTemplate(Manifests.template("pi", "perl"))
                .endSpec()
                .build();
        job.getSpec().getTemplate().getSpec().setRestartPolicy("Never");
        return change.apply(new JobBuilder(job)).build();
    }

    private void finish(Pod pod, String phase) {
        cluster.eventually("finished", () -> {
            try {
                Pod fresh = cluster.resources(Pod.class)
                        .get("default", pod.getMetadata().getName());
                cluster.resources(Pod.class).updateStatus(cluster.finished(fresh, phase));
                return true;
            } catch (io.argosy.api.status.ApiException conflict) {
                return false;
            }
        });
    }

    private void change(UnaryOperator<JobBuilder> change) {
        cluster.eventually("change accepted", () -> {
            try {
                Job fresh = cluster.resources(Job.class).get("default", "pi");
                cluster.resources(Job.class)
                        .update(change.apply(new JobBuilder(fresh)).build());
                return true;
            } catch (io.argosy.api.status.ApiException conflict) {
                return false;
            }
        });
    }

    private void await(String condition) {
        cluster.eventually(condition, () -> condition(condition) != null);
    }

    private JobStatus status() {
        JobStatus status = cluster.resources(Job.class).get("default", "pi").getStatus();
        return status == null ? new JobStatus() : status;
    }

    private JobCondition condition(String type) {
        return status().getConditions().stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst()
                .orElse(null);
    }

    private static int number(Integer count) {
        return count == null ? 0 : count;
    }
}
