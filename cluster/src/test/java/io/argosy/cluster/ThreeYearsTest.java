package io.argosy.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import io.argosy.cluster.pki.UserKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates are renewed while everything runs, and nobody notices. */
class ThreeYearsTest {
    private static final Duration MONTH = Duration.ofDays(30);
    private static final int MONTHS = 37;

    @TempDir
    Path folder;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-11-16T08:00:00Z"));

    private Cluster start() {
        return Cluster.builder()
                .home(folder)
                .port(0)
                .address("127.0.0.1")
                .nodeName("none")
                .clock(clock)
                .start();
    }

    /** A connection that asks one thing after the other. */
    private static final class Connection implements AutoCloseable {
        private final SSLSocket socket;
        private final BufferedReader answers;

        Connection(Credentials who, io.argosy.api.time.Clock clock) throws Exception {
            socket = (SSLSocket) who.tls(clock)
                    .getSocketFactory()
                    .createSocket(who.server().getHost(), who.server().getPort());
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        }

        /** The answer's status. */
        int get(String path) throws IOException {
            socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
            String first = answers.readLine();
            if (first == null) {
                throw new IOException("the connection is closed");
            }
            int length = 0;
            for (String line = answers.readLine(); !line.isEmpty(); line = answers.readLine()) {
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(
                            line.substring("content-length:".length()).strip());
                }
            }
            for (int read = 0; read < length; read++) {
                answers.read();
            }
            return Integer.parseInt(first.split(" ")[1]);
        }

        X509Certificate server() throws IOException {
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private int get(Credentials who, String path) throws Exception {
        try (Connection connection = new Connection(who, clock)) {
            return connection.get(path);
        }
    }

    @Test
    void threeYearsPassWithoutAnOutage() throws Exception {
        Set<BigInteger> servers = new HashSet<>();
        Set<BigInteger> admins = new HashSet<>();
        List<Credentials> kept = new ArrayList<>();
        try (Cluster cluster = start();
                Connection open = new Connection(Credentials.of(cluster.home().kubeconfig()), clock)) {
            for (int month = 0; month < MONTHS; month++) {
                Credentials now = Credentials.of(cluster.home().kubeconfig());
                kept.add(now);
                admins.add(now.certificate().getSerialNumber());
                now.certificate().checkValidity(java.util.Date.from(clock.now().plus(MONTH)));
                try (Connection fresh = new Connection(now, clock)) {
                    assertThat(fresh.get("/api/v1/namespaces"))
                            .as("month " + month)
                            .isEqualTo(200);
                    servers.add(fresh.server().getSerialNumber());
                }
                assertThat(get(kept.get(Math.max(0, month - 3)), "/api/v1/namespaces"))
                        .as("who copied the kubeconfig three months ago")
                        .isEqualTo(200);
                boolean lapsed = clock.now()
                        .isAfter(kept.getFirst().certificate().getNotAfter().toInstant());
                assertThat(open.get("/api/v1/namespaces"))
                        .as("the first connection, good as long as the certificate it was opened with")
                        .isEqualTo(lapsed ? 401 : 200);
                clock.advance(MONTH);
            }
            assertThat(servers).hasSizeBetween(4, 6);
            assertThat(admins).hasSameSizeAs(servers);
            assertThatThrownBy(() -> get(kept.getFirst(), "/api/v1/namespaces"))
                    .as("a certificate that has lapsed")
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void renewingOnDemandTakesNothingFromAnybody() throws Exception {
        try (Cluster cluster = start()) {
            Credentials before = Credentials.of(cluster.home().kubeconfig());
            try (Connection open = new Connection(before, clock)) {
                assertThat(cluster.certificates().renewAll()).containsExactly("server", "admin");
                Credentials after = Credentials.of(cluster.home().kubeconfig());
                assertThat(after.certificate()).isNotEqualTo(before.certificate());
                assertThat(open.get("/api/v1/namespaces")).isEqualTo(200);
                assertThat(get(before, "/api/v1/namespaces")).isEqualTo(200);
                assertThat(get(after, "/api/v1/namespaces")).isEqualTo(200);
            }
        }
    }

    @Test
    void aFurtherUserIsKnownByACertificateThatTheApiSigned() throws Exception {
        try (Cluster cluster = start()) {
            UserKey key = UserKey.of("jane \"the\" admin", List.of("developers"));
            String certificate =
                    cluster.certificates().certify("jane \"the\" admin", key.request(), Duration.ofDays(40));
            byte[] kubeconfig = cluster.certificates()
                    .kubeconfig("jane \"the\" admin", certificate, key.key())
                    .getBytes(UTF_8);
            Credentials jane = Credentials.of(kubeconfig);
            assertThat(jane.certificate().getSubjectX500Principal().getName()).contains("O=developers");
            assertThat(get(jane, "/version")).isEqualTo(200);
            assertThat(get(jane, "/api/v1/namespaces")).isEqualTo(403);
            clock.advance(Duration.ofDays(41));
            assertThatThrownBy(() -> get(jane, "/version")).isInstanceOf(IOException.class);
        }
    }
}
