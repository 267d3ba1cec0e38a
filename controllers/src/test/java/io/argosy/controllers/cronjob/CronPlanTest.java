package io.argosy.controllers.cronjob;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions for a CronJob of every full hour that was made at 08:30 on the first of January. */
class CronPlanTest {
    @ParameterizedTest(name = "last at {0}, now {1}, deadline {2} s: start {3}, again in {4} min")
    @CsvSource({
        ", 08:59, , , 1",
        ", 09:00, , 09:00, 60",
        ", 09:10, , 09:00, 50",
        "09:00, 09:10, , , 50",
        "09:00, 10:00, , 10:00, 60",
        "09:00, 12:30, , 12:00, 30", // of those that were missed only the last is made up for
        "09:00, 12:30, 600, , 30",
        "09:00, 12:05, 600, 12:00, 55"
    })
    void theLastTimeThatPassedIsStartedUnlessItWasOrIsTooLate(
            String last, String now, Long deadline, String start, int recheck) {
        CronJob cron = cron();
        cron.getSpec().setStartingDeadlineSeconds(deadline);
        cron.getStatus().setLastScheduleTime(last == null ? null : at(last).toString());
        CronPlan plan = CronPlan.decide(cron, List.of(), at(now));
        assertThat(plan.start()).isEqualTo(Optional.ofNullable(start).map(CronPlanTest::at));
        assertThat(plan.recheck()).contains(Duration.ofMinutes(recheck));
    }

    @ParameterizedTest(name = "{0} with {1} running: start {2}, replace {3}")
    @CsvSource({
        "Allow, '', true, ''",
        "Allow, a b, true, ''",
        "Forbid, '', true, ''",
        "Forbid, a, false, ''",
        "Replace, '', true, ''",
        "Replace, a b, true, a b",
        ", a, true, ''"
    })
    void whatStillRunsIsDealtWithByThePolicy(String policy, String running, boolean starts, String replaced) {
        CronJob cron = cron();
        cron.getSpec().setConcurrencyPolicy(policy);
        List<Job> jobs = jobs(running);
        jobs.forEach(job -> activate(cron, job));
        CronPlan plan = CronPlan.decide(cron, jobs, at("10:00"));
        assertThat(plan.start().isPresent()).isEqualTo(starts);
        assertThat(names(plan.replace())).isEqualTo(replaced);
        assertThat(plan.news())
                .extracting(CronPlan.News::reason)
                .isEqualTo(starts ? List.of() : List.of("JobAlreadyActive"));
    }

    @ParameterizedTest(name = "keep {0} complete and {1} failed of {2}: forget {3}")
    @CsvSource({
        "3, 1, a+ b+ c-, ''",
        "1, 1, a+ b+ c-, a",
        "0, 0, a+ b- c, a b",
        "2, 1, a+ b+ c+ d- e-, a d",
        ", , a+ b+ c-, ''"
    })
    void historyKeepsTheLastOfEach(Integer complete, Integer failed, String ended, String forgotten) {
        CronJob cron = cron();
        cron.getSpec().setSuccessfulJobsHistoryLimit(complete);
        cron.getSpec().setFailedJobsHistoryLimit(failed);
        List<Job> jobs = jobs(ended);
        jobs.forEach(job -> activate(cron, job));
        assertThat(names(CronPlan.decide(cron, jobs, at("08:45")).forget())).isEqualTo(forgotten);
    }

    @ParameterizedTest(name = "listed {0}, there {1}: {2} stay, told {3}")
    @CsvSource({
        "a, a, a, ''",
        "a, a+, '', SawCompletedJob",
        "a, a-, '', SawCompletedJob",
        "a, '', '', MissingJob",
        "'', a, '', UnexpectedJob",
        "'', a+, '', ''",
        "a b, a b+, a, SawCompletedJob"
    })
    void theListOfActiveJobsFollowsWhatBecameOfThem(String listed, String there, String active, String told) {
        CronJob cron = cron();
        jobs(listed).forEach(job -> activate(cron, job));
        CronPlan plan = CronPlan.decide(cron, jobs(there), at("08:45"));
        assertThat(String.join(
                        " ",
                        plan.status().getActive().stream()
                                .map(reference -> reference.getName())
                                .toList()))
                .isEqualTo(active);
        assertThat(String.join(
                        " ", plan.news().stream().map(CronPlan.News::reason).toList()))
                .isEqualTo(told);
    }

    @Test
    void whoIsSuspendedOrGoingStartsNothing() {
        CronJob suspended = cron();
        suspended.getSpec().setSuspend(true);
        assertThat(CronPlan.decide(suspended, List.of(), at("10:00")).start()).isEmpty();
        CronJob going = cron();
        going.getMetadata().setDeletionTimestamp(at("09:30").toString());
        assertThat(CronPlan.decide(going, List.of(), at("10:00")).start()).isEmpty();
    }

    private static Instant at(String time) {
        return LocalTime.parse(time).atDate(java.time.LocalDate.of(2026, 1, 1)).toInstant(java.time.ZoneOffset.UTC);
    }

    private static CronJob cron() {
        return new CronJobBuilder()
                .withNewMetadata()
                .withName("hello")
                .withCreationTimestamp(at("08:30").toString())
                .endMetadata()
                .withNewSpec()
                .withSchedule("0 * * * *")
                .endSpec()
                .withNewStatus()
                .endStatus()
                .build();
    }

    /** Names with a + for those that are complete and a - for those that have failed, in the order of their start. */
    private static List<Job> jobs(String written) {
        List<Job> jobs = new ArrayList<>();
        for (String job : Arrays.stream(written.split(" "))
                .filter(name -> !name.isEmpty())
                .toList()) {
            String name = job.substring(0, 1);
            JobBuilder builder = new JobBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .withUid("uid-" + name)
                    .endMetadata()
                    .withNewStatus()
                    .withStartTime(at("08:3" + jobs.size()).toString())
                    .endStatus();
            if (job.length() > 1) {
                builder.editStatus()
                        .addNewCondition()
                        .withType(job.endsWith("+") ? "Complete" : "Failed")
                        .withStatus("True")
                        .endCondition()
                        .endStatus();
            }
            jobs.add(builder.build());
        }
        return jobs;
    }

    private static void activate(CronJob cron, Job job) {
        cron.getStatus()
                .getActive()
                .add(new ObjectReferenceBuilder()
                        .withName(job.getMetadata().getName())
                        .withUid(job.getMetadata().getUid())
                        .build());
    }

    private static String names(List<? extends HasMetadata> objects) {
        return String.join(
                " ",
                objects.stream().map(object -> object.getMetadata().getName()).toList());
    }
}
