package io.argosy.operators.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.Snapshots;
import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.resource.StoragePlace;
import io.argosy.operators.storage.FolderStore;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From whom a snapshot is taken, and what is kept of it. */
class SavingTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    @TempDir
    Path folder;

    /** Members by their hosts, each at "cluster:revision"; whoever is not there is silent. */
    private static Etcd members(Map<String, String> members) {
        return (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (self, method, arguments) -> {
                    Endpoint endpoint = (Endpoint) arguments[0];
                    String[] state = members.getOrDefault(endpoint.host(), "").split(":", 2);
                    if (state.length != 2) {
                        throw new EtcdException(endpoint.url() + ": refused");
                    }
                    long revision = Long.parseLong(state[1]);
                    if (method.getName().equals("status")) {
                        return new MemberStatus(Long.parseLong(state[0]), 1, 1, 1, revision, "3.4.23", List.of());
                    }
                    assertThat(arguments[2]).isEqualTo(Duration.ofSeconds(60));
                    ((OutputStream) arguments[1]).write(Snapshots.at(revision));
                    return null;
                });
    }

    private Outcome save(Map<String, String> members, boolean periodic, int keep) {
        return save(members(members), periodic, keep);
    }

    private Outcome save(Etcd etcd, boolean periodic, int keep) {
        Task task = Task.save(
                List.of("http://a:1", "http://b:1", "http://c:1"),
                new StoragePlace(null, new StoragePlace.Claim("claim", "saved")),
                periodic,
                keep,
                60);
        return new Saving(etcd, CLOCK)
                .save(
                        task,
                        task.endpoints().stream()
                                .map(url -> Endpoint.parse(url, null, null))
                                .toList(),
                        new FolderStore(folder, "pvc://claim"));
    }

    @ParameterizedTest(name = "{0} {1} {2}: {3}{4}")
    @CsvSource({
        "1:5,  1:9, 1:7, 9,",
        "1:5,  '',  1:7, 7,",
        "'',   '',  1:7, 7,",
        "'',   '',  '',   , EndpointsUnreachable",
        "1:5,  2:9, 1:7,  , EndpointsDiffer"
    })
    void itIsTakenFromWhoKnowsMost(String a, String b, String c, Long revision, String failure) throws Exception {
        Outcome outcome = save(Map.of("a", a, "b", b, "c", c), false, 0);
        assertThat(outcome.failure()).isEqualTo(failure);
        assertThat(outcome.revision()).isEqualTo(revision);
        if (revision == null) {
            assertThat(folder).isEmptyDirectory();
        } else {
            assertThat(Snapshots.revision(Files.readAllBytes(folder.resolve("saved"))))
                    .isEqualTo(revision);
        }
    }

    @Test
    void ofManyTheOldestGo() throws Exception {
        Files.writeString(folder.resolve("saved_v8_2026-01-01-00:00:00"), "old");
        Files.writeString(folder.resolve("saved_v9_2026-01-02-00:00:00"), "newer");
        assertThat(save(Map.of("a", "1:10"), true, 2).key()).isEqualTo("saved_v10_2026-01-02-03:04:05");
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("saved_v9_2026-01-02-00:00:00", "saved_v10_2026-01-02-03:04:05");
        }
    }

    @Test
    void whoIsSilentAtFirstIsAskedAgain() {
        AtomicInteger questions = new AtomicInteger();
        Etcd etcd = members(Map.of("a", "1:10"));
        Etcd slow = (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (self, method, arguments) -> {
                    if (questions.incrementAndGet() <= 3) { // each of the three, once
                        throw new EtcdException("not yet");
                    }
                    return Proxy.getInvocationHandler(etcd).invoke(etcd, method, arguments);
                });
        assertThat(save(slow, false, 0).revision()).isEqualTo(10);
    }
}
