package io.argosy.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeconfigTest {
    private static final String BOTH = """
        current-context: here
        contexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}]
        clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", %s}}]
        users: [{name: u, user: {%s}}]
        """;

    @TempDir
    Path folder;

    @Test
    void theCurrentContextSaysWhereAndWho() throws IOException {
        Files.writeString(folder.resolve("ca.pem"), "the authority");
        Kubeconfig config = Kubeconfig.read(write(
                "config", BOTH.formatted("certificate-authority: ca.pem", "client-key-data: dGhlIGtleQ==, token: t")));
        assertThat(config)
                .isEqualTo(new Kubeconfig(
                        URI.create("https://127.0.0.1:6443"), "shop", "the authority", "", "the key", "t"));
    }

    @Test
    void aTokenInAFileIsReadWhenItIsShown() throws IOException {
        Kubeconfig config = Kubeconfig.read(write("config", BOTH.formatted("", "tokenFile: token")));
        Files.writeString(folder.resolve("token"), "first\n");
        assertThat(config.bearer()).isEqualTo("first");
        Files.writeString(folder.resolve("token"), "second");
        assertThat(config.bearer()).isEqualTo("second");
    }

    @Test
    void ofSeveralFilesTheFirstThatSaysSomethingIsRight() throws IOException {
        Path first = write("first", "users: [{name: u, user: {token: mine}}]");
        Path second = write("second", BOTH.formatted("", "token: theirs"));
        Kubeconfig config = Kubeconfig.read(List.of(first, second));
        assertThat(config.token()).isEqualTo("mine");
        assertThat(config.namespace()).isEqualTo("shop");
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Path file = write("config", "current-context: here");
        assertThatThrownBy(() -> Kubeconfig.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + " has no entry \"here\" among its contexts");
    }

    @ParameterizedTest(name = "{0} of the cluster, {1} of the user: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                " | exec: {command: aws} | exec of user \"u\"",
                " | auth-provider: {name: gcp} | auth-provider of user \"u\"",
                " | username: admin | username of user \"u\"",
                "insecure-skip-tls-verify: true | | insecure-skip-tls-verify of cluster \"c\"",
                "tls-server-name: other | | tls-server-name of cluster \"c\""
            })
    void whatCannotBeDoneIsRefusedInsteadOfLeftOut(String cluster, String user, String what) throws IOException {
        Path file = write("config", BOTH.formatted(cluster == null ? "" : cluster, user == null ? "" : user));
        assertThatThrownBy(() -> Kubeconfig.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": " + what + " is not supported");
    }

    @Test
    void whatIsTurnedOffIsNotAskedFor() throws IOException {
        assertThat(Kubeconfig.read(write("config", BOTH.formatted("insecure-skip-tls-verify: false", "token: t")))
                        .token())
                .isEqualTo("t");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
