package io.argosy.operators.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.tls.CertificateCheck.Finding;
import io.argosy.operators.tls.Issuer.Identity;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Secrets with certificates, good and bad. */
class CertificateCheckTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration YEAR = Duration.ofDays(365);
    private static final String HOST = "member.c.default.svc";
    private static final List<String> HOSTS = List.of("*.c.default.svc", "localhost", "127.0.0.1");

    private final Identity authority = Issuer.authority("c", NOW, YEAR);

    CertificateCheckTest() throws GeneralSecurityException {}

    private static Map<String, String> files(Use use, Identity authority, Identity leaf)
            throws GeneralSecurityException {
        Map<String, String> files = new HashMap<>();
        files.put(use.authorityFile(), Pem.of(authority.certificate()));
        files.put(use.certificateFile(), Pem.of(leaf.certificate()));
        files.put(use.keyFile(), Pem.of(leaf.key()));
        return files;
    }

    private Map<String, String> good(Use use) throws GeneralSecurityException {
        return files(use, authority, Issuer.certificate(authority, use, HOSTS, NOW, Duration.ofDays(30)));
    }

    private static Finding check(Use use, Map<String, String> files, Instant now) {
        return CertificateCheck.check(use, "s", files, use == Use.CLIENT ? null : HOST, now);
    }

    @Test
    void whatTheIssuerMakesIsGood() throws GeneralSecurityException {
        for (Use use : Use.values()) {
            assertThat(check(use, good(use), NOW)).isEqualTo(new Finding(null, "", NOW.plus(Duration.ofDays(30))));
        }
    }

    @Test
    void noCertificateOutlivesItsAuthority() throws GeneralSecurityException {
        Identity leaf = Issuer.certificate(authority, Use.PEER, HOSTS, NOW, YEAR.multipliedBy(2));
        assertThat(leaf.certificate().getNotAfter())
                .isEqualTo(authority.certificate().getNotAfter());
    }

    @Test
    void aMissingFileIsNamed() throws GeneralSecurityException {
        Map<String, String> files = good(Use.SERVER);
        files.remove("server.key");
        assertThat(check(Use.SERVER, files, NOW).reason()).isEqualTo("FileMissing");
        assertThat(check(Use.SERVER, files, NOW).message())
                .isEqualTo("secret s has no server.key: it needs server-ca.crt, server.crt, server.key");
    }

    @Test
    void whatIsNoCertificateIsNamed() throws GeneralSecurityException {
        for (String file : Use.PEER.files()) {
            Map<String, String> files = good(Use.PEER);
            files.put(file, "-----BEGIN NOTHING-----");
            assertThat(check(Use.PEER, files, NOW).reason()).isEqualTo("Unreadable");
            assertThat(check(Use.PEER, files, NOW).message()).startsWith(file + " of secret s cannot be read");
        }
    }

    @Test
    void theTimeCounts() throws GeneralSecurityException {
        Map<String, String> files = good(Use.PEER);
        assertThat(check(Use.PEER, files, NOW.plus(Duration.ofDays(31))).reason())
                .isEqualTo("Lapsed");
        assertThat(check(Use.PEER, files, NOW.minus(Duration.ofDays(400))).reason())
                .isEqualTo("NotYetValid");
        assertThat(check(Use.PEER, files, NOW.minus(Duration.ofDays(30))).good())
                .as("another clock may be behind")
                .isTrue();
    }

    @Test
    void anothersKeyIsFound() throws GeneralSecurityException {
        Map<String, String> files = good(Use.CLIENT);
        files.put("etcd-client.key", good(Use.CLIENT).get("etcd-client.key"));
        assertThat(check(Use.CLIENT, files, NOW).reason()).isEqualTo("KeyMismatch");
    }

    @Test
    void anothersCertificateIsFound() throws GeneralSecurityException {
        Map<String, String> files = good(Use.SERVER);
        files.put("server-ca.crt", Pem.of(Issuer.authority("c", NOW, YEAR).certificate()));
        assertThat(check(Use.SERVER, files, NOW).reason()).isEqualTo("ForeignCertificate");
        files.put("server-ca.crt", files.get("server-ca.crt") + Pem.of(authority.certificate()));
        assertThat(check(Use.SERVER, files, NOW).good()).as("one of a bundle").isTrue();
    }

    @Test
    void aClientsCertificateIsNoServers() throws GeneralSecurityException {
        Identity client = Issuer.certificate(authority, Use.CLIENT, HOSTS, NOW, YEAR);
        assertThat(check(Use.PEER, files(Use.PEER, authority, client), NOW).reason())
                .isEqualTo("WrongPurpose");
    }

    @Test
    void otherHostsCertificatesAreFound() throws GeneralSecurityException {
        Identity other = Issuer.certificate(authority, Use.SERVER, List.of("*.d.default.svc"), NOW, YEAR);
        assertThat(check(Use.SERVER, files(Use.SERVER, authority, other), NOW).message())
                .contains("not for hosts such as " + HOST)
                .contains("the name *.c.default.svc");
    }
}
