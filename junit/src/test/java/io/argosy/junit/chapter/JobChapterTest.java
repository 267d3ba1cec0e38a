package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Job chapter: pi once, pi that fails and waits longer each time, and two at a time until four are done. */
@ArgosyTest
@Timeout(300)
class JobChapterTest {
    private static final String PI = """
        apiVersion: batch/v1
        kind: Job
        metadata:
          name: pi
        spec:
          template:
            spec:
              containers:
              - name: pi
                image: ubuntu-bc
                command: ["sh", "-c", "echo 'scale=10000; 4*a(1)' | bc -l"]
              restartPolicy: Never
          backoffLimit: 4
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    JobChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    @InTrouble
    void piIsComputedOnce(Trouble trouble) {
        cluster.image("ubuntu-bc").exits(Duration.ofSeconds(5), 0);
        trouble.begin(cluster);
        cluster.apply(PI);
        trouble.until(cluster, "pi is known", () -> has("Complete"));
        assertThat(pods()).hasSize(1);
        assertThat(job().getStatus().getSucceeded()).isEqualTo(1);
        assertThat(pods().getFirst().getMetadata().getLabels())
                .containsEntry("controller-uid", job().getMetadata().getUid());
    }

    @Test
    void failuresAreTriedAgainAfterTenTwentyFortyAndEightySeconds() {
        cluster.image("ubuntu-bc").exits(Duration.ofSeconds(5), 1);
        cluster.apply(PI);
        cluster.await(Job.class, "pi", job -> has("Failed"));
        List<Instant> made = pods().stream()
                .map(pod -> Instant.parse(pod.getMetadata().getCreationTimestamp()))
                .sorted()
                .toList();
        List<Long> waited = new ArrayList<>();
        for (int i = 1; i < made.size(); i++) {
            waited.add(Duration.between(made.get(i - 1), made.get(i)).toSeconds() - 5);
        }
        assertThat(waited).containsExactly(10L, 20L, 40L, 80L);
    }

    @InTrouble
    void afterFourRetriesTheJobHasFailed(Trouble trouble) {
        cluster.image("ubuntu-bc").exits(Duration.ofSeconds(5), 1);
        trouble.begin(cluster);
        cluster.apply(PI);
        trouble.until(cluster, "the job has failed", () -> has("Failed"));
        assertThat(job().getStatus().getFailed()).isEqualTo(5);
        assertThat(job().getStatus().getConditions())
                .anyMatch(condition -> condition.getType().equals("Failed")
                        && condition.getReason().equals("BackoffLimitExceeded"));
        assertThat(pods()).hasSize(5);
    }

    @InTrouble
    void twoAtATimeUntilFourAreDone(Trouble trouble) {
        cluster.image("ubuntu-bc").exits(Duration.ofSeconds(5), 0);
        cluster.always(Pod.class, "two at a time", pods -> Pods.active(pods) <= 2);
        trouble.begin(cluster);
        cluster.apply(PI.replace("  backoffLimit: 4", "  parallelism: 2\n  completions: 4\n  backoffLimit: 4"));
        trouble.until(cluster, "four are done", () -> has("Complete"));
        assertThat(job().getStatus().getSucceeded()).isEqualTo(4);
        assertThat(pods()).hasSize(4);
        Duration took = Duration.between(
                Instant.parse(job().getStatus().getStartTime()),
                Instant.parse(job().getStatus().getCompletionTime()));
        assertThat(took).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
    }

    @InTrouble
    void everyIndexHasOnePodAtATimeAndTwoTries(Trouble trouble) {
        cluster.image("ubuntu-bc").exits(Duration.ofSeconds(5), 1);
        cluster.always(Pod.class, "two at a time", pods -> Pods.active(pods) <= 2);
        cluster.always(
                Pod.class,
                "no two of one index",
                pods -> pods.stream()
                        .filter(Pods::isActive)
                        .map(pod -> pod.getMetadata().getLabels().get("batch.kubernetes.io/job-completion-index"))
                        .allMatch(new HashSet<>()::add));
        trouble.begin(cluster);
        cluster.apply(PI.replace(
                "  backoffLimit: 4",
                "  completionMode: Indexed\n  parallelism: 2\n  completions: 3\n  backoffLimitPerIndex: 1\n"
                        + "  maxFailedIndexes: 3"));
        trouble.until(cluster, "every index has failed twice", () -> has("Failed"));
        assertThat(job().getStatus().getFailedIndexes()).isEqualTo("0-2");
        assertThat(job().getStatus().getFailed()).isEqualTo(6);
        assertThat(pods())
                .extracting(
                        pod -> pod.getMetadata().getLabels().get("batch.kubernetes.io/job-completion-index") + " after "
                                + pod.getMetadata().getAnnotations().get("batch.kubernetes.io/job-index-failure-count"))
                .containsExactlyInAnyOrder(
                        "0 after 0", "0 after 1", "1 after 0", "1 after 1", "2 after 0", "2 after 1");
    }

    @Test
    void aJobThatTakesTooLongIsEnded() {
        cluster.apply(PI.replace("  backoffLimit: 4", "  backoffLimit: 5\n  activeDeadlineSeconds: 100"));
        cluster.advance(Duration.ofSeconds(99));
        assertThat(has("Failed")).isFalse();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(job().getStatus().getConditions())
                .anyMatch(condition -> condition.getType().equals("Failed")
                        && condition.getReason().equals("DeadlineExceeded"));
        assertThat(Pods.active(pods())).isZero();
    }

    private Job job() {
        return client.batch().v1().jobs().withName("pi").get();
    }

    private boolean has(String condition) {
        return job().getStatus() != null
                && job().getStatus().getConditions() != null
                && job().getStatus().getConditions().stream()
                        .anyMatch(found -> found.getType().equals(condition)
                                && found.getStatus().equals("True"));
    }

    private List<Pod> pods() {
        return client.pods().withLabel("job-name", "pi").list().getItems();
    }
}
