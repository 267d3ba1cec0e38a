package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The CronJob chapter: hello every minute, with jobs that take a minute and a half, under each of the three policies. */
@ArgosyTest
@Timeout(120)
class CronJobChapterTest {
    private static final Instant MIDNIGHT = Instant.parse("2026-01-01T00:00:00Z");
    private static final String HELLO = """
        apiVersion: batch/v1beta1
        kind: CronJob
        metadata:
          name: hello
        spec:
          schedule: "*/1 * * * *"
          concurrencyPolicy: %s
          jobTemplate:
            spec:
              template:
                spec:
                  containers:
                  - name: hello
                    image: busybox
                    args: [/bin/sh, -c, date; echo Hello from the Kubernetes cluster]
                  restartPolicy: OnFailure
        """;

    private final Cluster cluster;
    private final KubernetesClient client;

    CronJobChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @AfterEach
    void nobodyIsLeftBehind() {
        Families.areWhole(cluster, client);
    }

    /** When jobs were made, in seconds, for which minute, and how many run after four minutes and ten seconds. */
    @ParameterizedTest(name = "{0}: {1}, {2} run")
    @CsvSource({
        "Allow, 60 for 1 120 for 2 180 for 3 240 for 4, 2",
        "Forbid, 60 for 1 150 for 2 240 for 4, 1",
        "Replace, 60 for 1 120 for 2 180 for 3 240 for 4, 1"
    })
    void jobsThatTakeLongerThanAMinuteAreDealtWithByThePolicy(String policy, String made, int running) {
        cluster.image("busybox").exits(Duration.ofSeconds(90), 0);
        TreeMap<String, Job> seen = new TreeMap<>();
        cluster.always(Job.class, "remembered", jobs -> {
            jobs.forEach(job -> seen.putIfAbsent(job.getMetadata().getName(), job));
            return true;
        });
        cluster.apply(HELLO.formatted(policy));
        cluster.advance(Duration.ofSeconds(250));
        List<String> told = new ArrayList<>();
        seen.forEach((name, job) -> {
            Instant at = Instant.parse(job.getMetadata().getCreationTimestamp());
            long minute = Long.parseLong(name.substring("hello-".length())) - MIDNIGHT.getEpochSecond() / 60;
            told.add(Duration.between(MIDNIGHT, at).toSeconds() + " for " + minute);
        });
        assertThat(String.join(" ", told)).isEqualTo(made);
        assertThat(client.batch()
                        .v1()
                        .cronjobs()
                        .withName("hello")
                        .get()
                        .getStatus()
                        .getActive())
                .hasSize(running);
        assertThat(Pods.active(client.pods().list().getItems())).isEqualTo(running);
    }
}
