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
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From whom a snapshot is taken, and what is kept of it. */
class SavingTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    @TempDir
    Path folder;

    /**
     * Members by their hosts, each at "cluster:revision"; whoever is not there is silent. Behind "service" each of them answers in turn.
     */
    private static Etcd members(Map<String, String> members) {
        Iterator<String> turns = Stream.generate(() -> new TreeMap<>(members).keySet())
                .flatMap(Set::stream)
                .iterator();
        return (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (self, method, arguments) -> {
                    Endpoint endpoint = (Endpoint) arguments[0];
                    String host = endpoint.host().equals("service") ? turns.next() : endpoint.host();
                    String[] state = members.getOrDefault(host, "").split(":", 2);
                    if (state.length != 2) {
                        throw new EtcdException(endpoint.url() + ": refused");
                    }
                    if (method.getName().equals("clientUrls")) {
                        return Stream.concat(members.keySet().stream(), Stream.of("nowhere"))
                                .map(name -> "http://" + name + ":1")
                                .toList();
                    }
                    long revision = Long.parseLong(state[1]);
                    MemberStatus status =
                            new MemberStatus(Long.parseLong(state[0]), 1, 1, 1, revision, "3.4.23", List.of());
                    if (method.getName().equals("snapshot")) {
                        assertThat(arguments[2]).isEqualTo(Duration.ofSeconds(60));
                        ((OutputStream) arguments[1]).write(Snapshots.at(revision));
                    }
                    return status;
                });
    }

    private Outcome save(Map<String, String> members, boolean periodic, int keep) {
        return save(members(members), periodic, keep);
    }

    private Outcome save(Etcd etcd, boolean periodic, int keep) {
        return save(etcd, periodic, keep, List.of("http://a:1", "http://b:1", "http://c:1"));
    }

    private Outcome save(Etcd etcd, boolean periodic, int keep, List<String> endpoints) {
        Task task = Task.save(
                endpoints, new StoragePlace(null, new StoragePlace.Claim("claim", "saved")), periodic, keep, 60);
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

    /** Each question to the Service goes to the next member. */
    @Test
    void behindAServiceItIsTakenFromWhoKnowsMostToo() throws Exception {
        Etcd etcd = members(Map.of("a", "1:5", "b", "1:9", "c", "1:7"));
        Outcome outcome = save(etcd, false, 0, List.of("http://service:1"));
        assertThat(outcome.revision()).isEqualTo(9);
        assertThat(Snapshots.revision(Files.readAllBytes(folder.resolve("saved"))))
                .isEqualTo(9);
    }

    /** Members that cannot be reached one by one: what is told is what the very snapshot holds. */
    @Test
    void theRevisionIsThatOfWhoSentTheSnapshot() throws Exception {
        Etcd etcd = members(Map.of("a", "1:9", "b", "1:5"));
        Etcd far = (Etcd) Proxy.newProxyInstance(
                Etcd.class.getClassLoader(), new Class<?>[] {Etcd.class}, (self, method, arguments) -> {
                    if (method.getName().equals("clientUrls")) {
                        return List.of("http://nowhere:1");
                    }
                    return Proxy.getInvocationHandler(etcd).invoke(etcd, method, arguments);
                });
        Outcome outcome = save(far, false, 0, List.of("http://service:1"));
        assertThat(Snapshots.revision(Files.readAllBytes(folder.resolve("saved"))))
                .isEqualTo(outcome.revision())
                .isEqualTo(5);
    }

    @Test
    void whatFailedItsProofTakesNobodysPlaceAndGoes() throws Exception {
        for (String old : List.of("saved_v7_2026-01-01-00:00:00", "saved_v8_2026-01-01-01:00:00")) {
            Files.writeString(folder.resolve(old), "good");
        }
        Files.writeString(folder.resolve("saved_v9_2026-01-02-00:00:00"), "bad");
        Task task = Task.prove("http://a:1", 1, 60)
                .prune(
                        new StoragePlace(null, new StoragePlace.Claim("claim", "saved")),
                        2,
                        List.of("saved_v9_2026-01-02-00:00:00"));
        Saving.prune(task, new FolderStore(folder, "pvc://claim"), "");
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("saved_v7_2026-01-01-00:00:00", "saved_v8_2026-01-01-01:00:00");
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
