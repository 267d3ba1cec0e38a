package io.argosy.cluster.pki;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.cluster.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the cluster's certificates: made once, renewed in time, never half. */
class PkiTest {
    private static final Instant NOW = Instant.parse("2026-11-16T08:00:00Z");

    @TempDir
    Path folder;

    private Home home;

    @BeforeEach
    void open() {
        home = Home.open(folder);
    }

    private Pki open(Instant at) {
        return Pki.open(home, List.of("localhost"), List.of("127.0.0.1"), at);
    }

    private byte[] file(String name) throws IOException {
        return Files.readAllBytes(home.pki().resolve(name));
    }

    private boolean belongTogether(String name) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(Pem.privateKey(home.pki().resolve(name + ".key")));
        signature.update(new byte[] {1, 2, 3});
        byte[] signed = signature.sign();
        signature.initVerify(Pem.certificate(home.pki().resolve(name + ".crt")));
        signature.update(new byte[] {1, 2, 3});
        return signature.verify(signed);
    }

    @Test
    void everyFileIsTheOwnersAlone() throws IOException {
        open(NOW);
        try (Stream<Path> files = Files.list(home.pki())) {
            assertThat(files.toList())
                    .hasSizeGreaterThanOrEqualTo(8)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void certificatesAreRenewedWhenAThirdOfTheirLifeIsLeft() throws Exception {
        Pki pki = open(NOW);
        byte[] server = file("server.crt");
        byte[] authority = file("ca.crt");
        assertThat(pki.renewDue(NOW.plus(Duration.ofDays(240)))).isEmpty();
        assertThat(file("server.crt")).isEqualTo(server);
        assertThat(pki.renewDue(NOW.plus(Duration.ofDays(245)))).containsExactly("server", "admin");
        assertThat(file("server.crt")).isNotEqualTo(server);
        assertThat(file("ca.crt")).isEqualTo(authority);
        assertThat(belongTogether("server")).isTrue();
        assertThat(belongTogether("admin")).isTrue();
        assertThat(Pem.certificate(home.pki().resolve("server.crt")).getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .containsExactlyInAnyOrder("localhost", "127.0.0.1");
        assertThat(Pki.list(home)).extracting(Pki.Listed::file).containsExactly("ca.crt", "server.crt", "admin.crt");
    }

    /** As if the process had been killed between the two files. */
    @Test
    void aRenewalThatWasCutOffIsDoneAgain() throws Exception {
        open(NOW);
        Files.copy(
                home.pki().resolve("ca.key"),
                home.pki().resolve("server.key"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(home.pki().resolve("server.unfinished"), "");
        assertThat(belongTogether("server")).isFalse();
        open(NOW.plus(Duration.ofDays(1)));
        assertThat(belongTogether("server")).isTrue();
        assertThat(home.pki().resolve("server.unfinished")).doesNotExist();
    }
}
