package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates as an administrator handles them: seen, renewed, and made for further users. */
class CertificateCommandsTest {
    private static final int NETWORK = 48;

    @TempDir
    Path folder;

    @Test
    void certificatesAreListedAndRenewedAndUsersAdded() throws IOException {
        assumeTrue(!Machine.kubectls().isEmpty(), "skipped: there is no kubectl on this machine");
        try (Argosy argosy = new Argosy(folder.resolve("home"), NETWORK)) {
            Path file = folder.resolve("jane.kubeconfig");
            Command.Outcome early = argosy.command("user", "add", "jane", "--out", file.toString())
                    .run();
            assertThat(early.code()).isEqualTo(1);
            assertThat(early.err().strip().lines()).hasSize(1);
            assertThat(early.err()).contains("Argosy is not running");
            argosy.up("--runtime", "simulated");
            assertThat(argosy.command("cert", "list").run().ok())
                    .contains("ca.crt", "CN=kube-apiserver", "CN=kubernetes-admin,O=system:masters");
            String before = Files.readString(argosy.home().resolve("kubeconfig"));
            assertThat(argosy.command("cert", "renew").run().ok())
                    .contains("Renewed the certificates of server and admin");
            assertThat(Files.readString(argosy.home().resolve("kubeconfig"))).isNotEqualTo(before);
            argosy.kubectl().ok("get", "namespaces");
            addUser(argosy, file);
        }
    }

    private static void addUser(Argosy argosy, Path file) throws IOException {
        argosy.command("user", "add", "jane", "--group", "developers", "--out", file.toString())
                .run()
                .ok();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Kubectl jane = new Kubectl(argosy.kubectl().program(), file);
        assertThat(jane.run("get", "pods").err()).contains("User \"jane\" cannot list resource \"pods\"");
        argosy.kubectl()
                .ok("create", "rolebinding", "devs", "--clusterrole=view", "--group=developers", "--namespace=default");
        jane.await("the binding holds", out -> out.contains("No resources found"), "get", "pods");
        assertThat(jane.run("get", "secrets").err()).contains("cannot list resource \"secrets\"");
        Command.Outcome again =
                argosy.command("user", "add", "jane", "--out", file.toString()).run();
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err()).contains("is there already");
        Command.Outcome master = argosy.command("user", "add", "joe", "--group", "system:masters")
                .run();
        assertThat(master.code()).isEqualTo(1);
        assertThat(master.err()).contains("bind cluster-admin to the user instead");
    }
}
