package io.argosy.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
    private static final String PROGRAM = "/bin/sh";

    @Test
    void kubernetesIsNamedWholeOrNotAtAll() {
        assertThat(refusal("api", "--kube-apiserver", PROGRAM)).contains("--kube-apiserver needs --etcd too");
    }

    @Test
    void kubernetesIsRefusedWhereNothingIsMeasuredBesideIt() {
        assertThat(refusal("access", "--kube-apiserver", PROGRAM, "--etcd", PROGRAM))
                .contains("Only the benchmark \"api\" measures a kube-apiserver too");
    }

    @Test
    void loopsOfAnotherClusterAreNamedBeforeControllersAreMeasuredBesideIt() {
        assertThat(refusal("controllers", "--kube-apiserver", PROGRAM, "--etcd", PROGRAM))
                .contains("\"controllers\" with a kube-controller-manager and a kube-scheduler");
    }

    private static String refusal(String... words) {
        StringWriter said = new StringWriter();
        int code = new CommandLine(new Main()).setErr(new PrintWriter(said)).execute(words);
        assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
        return said.toString();
    }
}
