package io.argosy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the API server speaks TLS, and with whom it does not. */
class TlsTest {
    private static final int HANDSHAKE = 22;
    private static final int ALERT = 21;

    @TempDir
    static Path home;

    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = Cluster.builder()
                .home(home)
                .port(0)
                .address("127.0.0.1")
                .nodeName("none")
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static SSLSocket connect(Credentials who) throws Exception {
        SSLSocket socket = (SSLSocket) who.tls(Clock.system())
                .getSocketFactory()
                .createSocket(who.server().getHost(), who.server().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static Credentials admin() throws Exception {
        return Credentials.of(cluster.home().kubeconfig());
    }

    private static int status(SSLSocket socket) throws IOException {
        socket.getOutputStream()
                .write("GET /api/v1/namespaces HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] head = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
        if (head.length == 0) {
            throw new IOException("the connection is closed");
        }
        return Integer.parseInt(new String(head, StandardCharsets.US_ASCII).substring(9));
    }

    @ParameterizedTest
    @CsvSource({
        "TLSv1.3, TLS_AES_128_GCM_SHA256",
        "TLSv1.3, TLS_AES_256_GCM_SHA384",
        "TLSv1.3, TLS_CHACHA20_POLY1305_SHA256",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLSv1.2, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"
    })
    void soundCiphersAreSpoken(String protocol, String cipher) throws Exception {
        try (SSLSocket socket = connect(admin())) {
            socket.setEnabledProtocols(new String[] {protocol});
            socket.setEnabledCipherSuites(new String[] {cipher});
            assertThat(status(socket)).isEqualTo(200);
            assertThat(socket.getSession().getCipherSuite()).isEqualTo(cipher);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
                "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
                "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"
            })
    void noOthersAre(String cipher) throws Exception {
        try (SSLSocket socket = connect(admin())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setEnabledCipherSuites(new String[] {cipher});
            assertThatThrownBy(() -> status(socket)).isInstanceOf(SSLException.class);
        }
    }

    /** By hand, because clients of today do not speak these any more either. */
    @ParameterizedTest
    @CsvSource({"1, 21", "2, 21", "3, 22"})
    void oldVersionsAreRefused(int minor, int answered) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(hello(minor));
            InputStream in = socket.getInputStream();
            assertThat(in.read()).isEqualTo(answered).isIn(ALERT, HANDSHAKE);
        }
    }

    /** The first words of a client that knows TLS 1.(minor - 1) at most, and ciphers of both old and new. */
    private static byte[] hello(int minor) {
        byte[] ciphers = {(byte) 0xc0, 0x2b, (byte) 0xc0, 0x09, (byte) 0xc0, 0x0a, 0x00, 0x2f};
        byte[] groups = {0, 10, 0, 4, 0, 2, 0, 23};
        byte[] signatures = {0, 13, 0, 6, 0, 4, 4, 3, 2, 3};
        ByteBuffer body = ByteBuffer.allocate(256);
        body.put((byte) 3).put((byte) minor).put(new byte[32]).put((byte) 0);
        body.putShort((short) ciphers.length).put(ciphers).put((byte) 1).put((byte) 0);
        body.putShort((short) (groups.length + signatures.length)).put(groups).put(signatures);
        body.flip();
        ByteBuffer record = ByteBuffer.allocate(256);
        record.put((byte) HANDSHAKE).put((byte) 3).put((byte) 1).putShort((short) (body.remaining() + 4));
        record.put((byte) 1).put((byte) 0).putShort((short) body.remaining()).put(body);
        record.flip();
        byte[] bytes = new byte[record.remaining()];
        record.get(bytes);
        return bytes;
    }

    /** The server's own certificate is its authority's, too; but it is none of a client. */
    @Test
    void aServersCertificateIsNoClients() throws Exception {
        Path pki = cluster.home().pki();
        String pem = java.nio.file.Files.readString(pki.resolve("server.key"));
        byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        Credentials server = new Credentials(
                admin().server(),
                admin().authority(),
                (X509Certificate) CertificateFactory.getInstance("X.509")
                        .generateCertificate(java.nio.file.Files.newInputStream(pki.resolve("server.crt"))),
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)));
        try (SSLSocket socket = connect(server)) {
            assertThatThrownBy(() -> status(socket)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aStrangersCertificateIsRefused(@TempDir Path elsewhere) throws Exception {
        try (Cluster other = Cluster.builder()
                .home(elsewhere)
                .port(0)
                .address("127.0.0.1")
                .nodeName("none")
                .start()) {
            Credentials theirs = Credentials.of(other.home().kubeconfig());
            Credentials stranger =
                    new Credentials(admin().server(), admin().authority(), theirs.certificate(), theirs.key());
            try (SSLSocket socket = connect(stranger)) {
                assertThatThrownBy(() -> status(socket)).isInstanceOf(IOException.class);
            }
        }
    }
}
