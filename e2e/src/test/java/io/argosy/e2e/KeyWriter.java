package io.argosy.e2e;

import io.argosy.operators.resource.Names;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.options.GetOption;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;

/** Writes key after key to an etcd cluster, through whatever happens to it, and remembers which were acknowledged. */
final class KeyWriter implements AutoCloseable {
    private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();
    private static final int PATIENCE_SECONDS = 5;
    private static final ByteSequence PREFIX = bytes("written/");

    private final KubernetesClient kubernetes;
    private final String cluster;
    private final String secret;
    private final Set<String> acknowledged = new ConcurrentSkipListSet<>();
    private final Thread thread = Thread.ofVirtual().unstarted(this::write);
    private volatile boolean over;

    private KeyWriter(KubernetesClient kubernetes, String cluster, String secret) {
        this.kubernetes = kubernetes;
        this.cluster = cluster;
        this.secret = secret;
    }

    static KeyWriter start(KubernetesClient kubernetes, String cluster) {
        return start(kubernetes, cluster, null);
    }

    /** With the certificate that the secret holds whenever it connects. */
    static KeyWriter start(KubernetesClient kubernetes, String cluster, String secret) {
        KeyWriter writer = new KeyWriter(kubernetes, cluster, secret);
        writer.thread.start();
        writer.moreAreAcknowledged();
        return writer;
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    Set<String> acknowledged() {
        return acknowledged;
    }

    /** Waits until keys are acknowledged that were not before. */
    void moreAreAcknowledged() {
        int before = acknowledged.size();
        Eventually.holds(
                "more keys are acknowledged", () -> acknowledged.size() > before + 20, () -> before + " and few more");
    }

    /** Connects to the members that run now, and again when they do not answer. */
    private void write() {
        int number = 0;
        while (!over) {
            List<String> endpoints = endpoints();
            if (endpoints.isEmpty()) {
                LockSupport.parkNanos(PAUSE_NANOS * 10);
                continue;
            }
            try (Client client = connect(endpoints)) {
                while (!over) {
                    String key = "%08d".formatted(number++);
                    client.getKVClient()
                            .put(bytes("written/" + key), bytes(key))
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    acknowledged.add(key);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (ExecutionException | TimeoutException notAcknowledged) {
                // perhaps written, perhaps not: nobody promised
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private Client connect(List<String> endpoints) {
        ClientBuilder builder = Client.builder()
                .endpoints(endpoints.toArray(String[]::new))
                .retryMaxAttempts(1)
                .connectTimeout(Duration.ofSeconds(2));
        if (secret != null) {
            Map<String, String> files = kubernetes
                    .secrets()
                    .inNamespace("default")
                    .withName(secret)
                    .get()
                    .getData();
            try {
                builder.authority(cluster + "-client.default.svc")
                        .sslContext(tls -> tls.trustManager(pem(files, "etcd-client-ca.crt"))
                                .keyManager(pem(files, "etcd-client.crt"), pem(files, "etcd-client.key")));
            } catch (SSLException e) {
                throw new IllegalStateException(e);
            }
        }
        return builder.build();
    }

    private static InputStream pem(Map<String, String> files, String name) {
        return new ByteArrayInputStream(Base64.getDecoder().decode(files.get(name)));
    }

    private List<String> endpoints() {
        try {
            return kubernetes
                    .pods()
                    .inNamespace("default")
                    .withLabel(Names.CLUSTER_LABEL, cluster)
                    .list()
                    .getItems()
                    .stream()
                    .filter(KeyWriter::isReady)
                    .map(pod -> (secret == null ? "http://" : "https://")
                            + pod.getStatus().getPodIP() + ":2379")
                    .toList();
        } catch (KubernetesClientException busy) {
            return List.of();
        }
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus().getPodIP() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }

    /** Which acknowledged keys any of the members does not have. */
    Set<String> missing() {
        Set<String> missing = new TreeSet<>();
        List<String> members = endpoints();
        for (String member : members) {
            try (Client client = connect(List.of(member))) {
                Set<String> there = new TreeSet<>();
                client.getKVClient()
                        .get(
                                PREFIX,
                                GetOption.builder()
                                        .isPrefix(true)
                                        .withKeysOnly(true)
                                        .build())
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .getKvs()
                        .forEach(pair -> there.add(
                                pair.getKey().toString(StandardCharsets.UTF_8).substring("written/".length())));
                acknowledged.stream().filter(key -> !there.contains(key)).forEach(missing::add);
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError(member + " does not answer", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        if (members.isEmpty()) {
            throw new AssertionError("no member is ready");
        }
        return missing;
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
