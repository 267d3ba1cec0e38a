package io.argosy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.cluster.home.HomeException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What is said of the node on the command line. */
class NodeOptionsTest {
    private static NodeOptions.Chosen chosen(String... arguments) {
        return CommandLine.populateCommand(new NodeOptions(), arguments).chosen();
    }

    @Test
    void whatWasSaidReachesTheProcessThatRunsTheNode() {
        assertThat(chosen("--system-reserved", "cpu=200m", "--kube-reserved=memory=1Gi", "--pod-max-pids", "7")
                        .arguments())
                .containsExactly("system-reserved=cpu=200m", "kube-reserved=memory=1Gi", "pod-max-pids=7")
                .allMatch(argument -> NodeOptions.Chosen.isArgument(argument.split("=", 2)[0]));
    }

    @Test
    void whatCannotBeIsRefusedBeforeAnythingBegins() {
        assertThatThrownBy(() -> chosen("--kube-reserved", "pid=100"))
                .isInstanceOf(HomeException.class)
                .hasMessage("What is reserved cannot be read: cannot reserve \"pid\" resource.");
        assertThatThrownBy(() -> chosen("--eviction-hard", "memory.available"))
                .isInstanceOf(HomeException.class)
                .hasMessage("The eviction thresholds cannot be read: \"memory.available\" has no <.");
    }
}
