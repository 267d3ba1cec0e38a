package io.argosy.operators.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Endpoint.ClientCredentials;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.Etcd.MemberStatus;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.snapshot.SnapshotCheck;
import io.argosy.operators.snapshot.SnapshotException;
import io.argosy.operators.storage.FolderStore;
import io.argosy.operators.storage.S3Store;
import io.argosy.operators.storage.SnapshotStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The program in the pods that operators make: it is where a volume is mounted. What it has to do is in its environment, what became of it
 * is its container's termination message.
 */
public final class Agent {
    static final String TASK = "TASK";
    /** Where the pod mounts what the task is about. */
    static final String SNAPSHOTS = "/snapshots";

    static final String FETCHED = "/fetched";
    static final String AWS = "/etc/aws-secret";
    static final String TLS = "/etc/etcd-tls";
    private static final String TERMINATION_MESSAGE = "dev/termination-log";
    private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path root;
    private final Etcd etcd;
    private final InstantSource clock;

    /** The root is where the mounts are found. */
    public Agent(Path root, Etcd etcd, InstantSource clock) {
        this.root = root;
        this.etcd = etcd;
        this.clock = clock;
    }

    /** Does it, leaves the outcome where Kubernetes finds it, and says how to exit. */
    public int work(String verb, Map<String, String> environment) throws IOException {
        Outcome outcome = outcome(verb, environment.getOrDefault(TASK, ""));
        String text = JSON.writeValueAsString(outcome);
        System.out.println(text);
        Files.writeString(root.resolve(TERMINATION_MESSAGE), text);
        return outcome.succeeded() ? 0 : 1;
    }

    public Outcome outcome(String verb, String task) {
        try {
            return perform(verb, JSON.readValue(task, Task.class));
        } catch (JsonProcessingException e) {
            return Outcome.failed("BadTask", "the environment has no task in " + TASK + ": " + e.getMessage());
        } catch (SnapshotException e) {
            return Outcome.failed(e);
        } catch (IOException | UncheckedIOException e) {
            return Outcome.failed("VolumeFailed", "the volume cannot be used: " + e.getMessage());
        }
    }

    private Outcome perform(String verb, Task task) throws SnapshotException, IOException {
        return switch (verb) {
            case "save" -> {
                try (SnapshotStore store = store(task)) {
                    List<Endpoint> endpoints = endpoints(task);
                    yield new Saving(etcd, clock).save(task, endpoints, store);
                }
            }
            case "fetch" -> {
                try (SnapshotStore store = store(task)) {
                    yield fetch(task, store);
                }
            }
            case "prove" -> {
                Outcome outcome = prove(task);
                if (outcome.succeeded() && task.keep() > 0) {
                    try (SnapshotStore store = store(task)) {
                        Saving.prune(task, store, "its place");
                    }
                }
                yield outcome;
            }
            default -> Outcome.failed("BadTask", "an agent can save, fetch and prove, but not " + verb);
        };
    }

    private SnapshotStore store(Task task) throws SnapshotException, IOException {
        return task.place().s3() == null
                ? new FolderStore(at(SNAPSHOTS), "pvc://" + task.place().pvc().claimName())
                : new S3Store(task.place().s3(), files(at(AWS)));
    }

    private Path at(String mount) {
        return root.resolve(mount.substring(1));
    }

    /** A mounted secret. */
    private static Map<String, String> files(Path folder) throws IOException {
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> found = Files.list(folder)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }

    private List<Endpoint> endpoints(Task task) throws IOException {
        Path tls = at(TLS);
        ClientCredentials credentials = null;
        if (Files.isDirectory(tls)) {
            Map<String, String> files = files(tls);
            credentials = new ClientCredentials(
                    files.get("etcd-client-ca.crt"), files.get("etcd-client.crt"), files.get("etcd-client.key"));
        }
        ClientCredentials known = credentials;
        return task.endpoints().stream()
                .map(url -> Endpoint.parse(url, null, known))
                .toList();
    }

    /** Brings the snapshot into the pod, after whatever a run before this one has left behind. */
    private Outcome fetch(Task task, SnapshotStore store) throws SnapshotException, IOException {
        clear(at(AgentPods.DATA_FOLDER));
        Path file = at(FETCHED).resolve(AgentPods.SNAPSHOT_FILE);
        String key = task.place().key();
        SnapshotCheck.Facts facts;
        try (OutputStream out = Files.newOutputStream(file)) {
            facts = Saving.copy(store, key, out);
        }
        return new Outcome(null, null, null, null, facts.size(), facts.sha256(), store.location(key), key);
    }

    private static void clear(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (NoSuchFileException nothingThere) {
            // as it should be
        }
    }

    /** Waits for the member that was made of the snapshot, and sees whether it holds what it should. */
    private Outcome prove(Task task) {
        Endpoint member = Endpoint.parse(task.endpoints().getFirst(), null, null);
        Instant end = clock.instant().plusSeconds(task.timeoutSeconds());
        String silence = "";
        while (clock.instant().isBefore(end)) {
            try {
                MemberStatus status = etcd.status(member);
                if (status.leader() != 0) {
                    return proved(task, status);
                }
            } catch (EtcdException e) {
                silence = ": " + e.getMessage();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return Outcome.failed("ProofFailed", "the member made of the snapshot does not answer" + silence);
    }

    private static Outcome proved(Task task, MemberStatus status) {
        return status.revision() >= task.revision()
                ? new Outcome(null, null, status.version(), status.revision(), null, null, null, null)
                : Outcome.failed(
                        "ProofFailed",
                        "the member made of the snapshot is at revision " + status.revision() + " and not at "
                                + task.revision());
    }
}
