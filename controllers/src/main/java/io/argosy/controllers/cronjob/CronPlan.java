package io.argosy.controllers.cronjob;

import io.argosy.api.time.CronSchedule;
import io.argosy.client.event.EventRecorder.Type;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What to do next for one CronJob.
 *
 * @param status after what is known of the jobs so far, before anything is started
 * @param start the scheduled time for which a job is to be started
 * @param replace running jobs that give way to it
 * @param forget finished jobs that history need not keep
 * @param news events to tell
 * @param recheck how long until the next scheduled time
 */
record CronPlan(
        CronJobStatus status,
        Optional<Instant> start,
        List<Job> replace,
        List<Job> forget,
        List<News> news,
        Optional<Duration> recheck) {
    private static final DateTimeFormatter RFC_1123 = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss xx", Locale.US)
            .withZone(ZoneOffset.UTC);

    /** An event about the CronJob. */
    record News(Type type, String reason, String message) {}

    static CronPlan decide(CronJob cron, List<Job> jobs, Instant now) {
        return new Draft(cron, jobs, now).plan();
    }

    /** How a finished job ended: Complete or Failed; empty while it is not. */
    static Optional<String> ending(Job job) {
        if (job.getStatus() == null) {
            return Optional.empty();
        }
        return job.getStatus().getConditions().stream()
                .filter(condition -> condition.getStatus().equals("True")
                        && (condition.getType().equals("Complete")
                                || condition.getType().equals("Failed")))
                .map(JobCondition::getType)
                .findFirst();
    }

    /** The name tells the minute, so that no time can have two jobs. */
    static String jobName(CronJob cron, Instant scheduled) {
        return cron.getMetadata().getName() + "-" + scheduled.getEpochSecond() / 60;
    }

    private static final class Draft {
        private final CronJob cron;
        private final CronJobSpec spec;
        private final List<Job> jobs;
        private final Instant now;
        private final List<ObjectReference> active = new ArrayList<>();
        private final List<News> news = new ArrayList<>();
        private final String lastSchedule;
        private String lastSuccess;
        private Optional<Instant> start = Optional.empty();
        private List<Job> replace = List.of();
        private Optional<Duration> recheck = Optional.empty();

        Draft(CronJob cron, List<Job> jobs, Instant now) {
            this.cron = cron;
            this.jobs = jobs;
            this.now = now;
            spec = cron.getSpec();
            CronJobStatus before = cron.getStatus() == null ? new CronJobStatus() : cron.getStatus();
            active.addAll(before.getActive());
            lastSchedule = before.getLastScheduleTime();
            lastSuccess = before.getLastSuccessfulTime();
        }

        CronPlan plan() {
            lookAtJobs();
            if (cron.getMetadata().getDeletionTimestamp() == null && !Boolean.TRUE.equals(spec.getSuspend())) {
                lookAtClock();
            }
            CronJobStatus status = new CronJobStatus();
            status.setActive(active);
            status.setLastScheduleTime(lastSchedule);
            status.setLastSuccessfulTime(lastSuccess);
            return new CronPlan(status, start, replace, forgotten(), news, recheck);
        }

        private void lookAtJobs() {
            for (Job job : jobs) {
                boolean known = active.stream().anyMatch(reference -> refersTo(reference, job));
                Optional<String> ending = ending(job);
                if (!known && ending.isEmpty()) {
                    tell(
                            Type.Warning,
                            "UnexpectedJob",
                            "Saw a job that the controller did not create or forgot: "
                                    + job.getMetadata().getName());
                } else if (known && ending.isPresent()) {
                    active.removeIf(reference -> refersTo(reference, job));
                    tell(
                            Type.Normal,
                            "SawCompletedJob",
                            "Saw completed job: " + job.getMetadata().getName() + ", condition: " + ending.get());
                }
                if (ending.filter("Complete"::equals).isPresent()) {
                    String completed = job.getStatus().getCompletionTime();
                    if (completed != null
                            && (lastSuccess == null
                                    || Timestamps.parse(completed).isAfter(Timestamps.parse(lastSuccess)))) {
                        lastSuccess = completed;
                    }
                }
            }
            for (ObjectReference reference : List.copyOf(active)) {
                if (jobs.stream().noneMatch(job -> refersTo(reference, job))) {
                    active.remove(reference);
                    tell(Type.Normal, "MissingJob", "Active job went missing: " + reference.getName());
                }
            }
        }

        private void lookAtClock() {
            ZoneId zone = ZoneOffset.UTC;
            if (spec.getTimeZone() != null && !spec.getTimeZone().isEmpty()) {
                try {
                    zone = ZoneId.of(spec.getTimeZone());
                } catch (DateTimeException e) {
                    tell(
                            Type.Warning,
                            "UnknownTimeZone",
                            "invalid timeZone: \"" + spec.getTimeZone() + "\": unknown time zone "
                                    + spec.getTimeZone());
                    return;
                }
            }
            CronSchedule schedule;
            try {
                schedule = CronSchedule.parse(spec.getSchedule());
            } catch (IllegalArgumentException e) {
                tell(
                        Type.Warning,
                        "UnparseableSchedule",
                        "unparseable schedule: \"" + spec.getSchedule() + "\" : " + e.getMessage());
                return;
            }
            recheck = schedule.next(now, zone).map(next -> Duration.between(now, next));
            MissedTimes missed = MissedTimes.between(schedule, earliest(), now, zone);
            if (missed.tooMany()) {
                tell(
                        Type.Warning,
                        "TooManyMissedTimes",
                        "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock"
                                + " skew");
            }
            missed.latest().ifPresent(this::consider);
        }

        /** Times before the last start, before the CronJob was made, or past their deadline no longer count. */
        private Instant earliest() {
            Instant earliest = Timestamps.parse(
                    lastSchedule != null ? lastSchedule : cron.getMetadata().getCreationTimestamp());
            if (spec.getStartingDeadlineSeconds() != null) {
                Instant deadline = now.minusSeconds(spec.getStartingDeadlineSeconds());
                return deadline.isAfter(earliest) ? deadline : earliest;
            }
            return earliest;
        }

        private void consider(Instant scheduled) {
            Long deadline = spec.getStartingDeadlineSeconds();
            if (deadline != null && scheduled.plusSeconds(deadline).isBefore(now)) {
                tell(
                        Type.Warning,
                        "MissSchedule",
                        "Missed scheduled time to start a job: " + RFC_1123.format(scheduled));
                return;
            }
            String name = jobName(cron, scheduled);
            boolean started = active.stream().anyMatch(reference -> name.equals(reference.getName()))
                    || Timestamps.format(scheduled).equals(lastSchedule);
            if (started) {
                return;
            }
            if ("Forbid".equals(spec.getConcurrencyPolicy()) && !active.isEmpty()) {
                tell(
                        Type.Normal,
                        "JobAlreadyActive",
                        "Not starting job because prior execution is running and concurrency policy is Forbid");
                return;
            }
            if ("Replace".equals(spec.getConcurrencyPolicy())) {
                replace = jobs.stream()
                        .filter(job -> active.stream().anyMatch(reference -> refersTo(reference, job)))
                        .toList();
                active.clear();
            }
            start = Optional.of(scheduled);
        }

        private List<Job> forgotten() {
            List<Job> forgotten = new ArrayList<>(surplus("Complete", spec.getSuccessfulJobsHistoryLimit()));
            forgotten.addAll(surplus("Failed", spec.getFailedJobsHistoryLimit()));
            return forgotten;
        }

        private List<Job> surplus(String ending, Integer limit) {
            if (limit == null) {
                return List.of();
            }
            List<Job> ended = jobs.stream()
                    .filter(job -> ending(job).filter(ending::equals).isPresent()
                            && job.getMetadata().getDeletionTimestamp() == null)
                    .sorted(Comparator.comparing((Job job) -> Optional.ofNullable(
                                            job.getStatus().getStartTime())
                                    .orElse("~"))
                            .thenComparing(job -> job.getMetadata().getName()))
                    .toList();
            return ended.subList(0, Math.max(0, ended.size() - limit));
        }

        private static boolean refersTo(ObjectReference reference, Job job) {
            return job.getMetadata().getUid().equals(reference.getUid());
        }

        private void tell(Type type, String reason, String message) {
            news.add(new News(type, reason, message));
        }
    }
}
