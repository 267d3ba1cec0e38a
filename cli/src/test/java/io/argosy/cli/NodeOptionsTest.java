package io.argosy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.cluster.home.HomeException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void logsLieWhereCollectorsLookUnlessTheHomeIsAnother() {
        assertThat(chosen("--pod-logs", "/srv/logs").arguments()).containsExactly("pod-logs=/srv/logs");
        assertThat(chosen("--pod-logs", "/srv/logs").logs(HomeOption.USUAL)).contains(Path.of("/srv/logs"));
        assertThat(chosen().logs(Path.of("/srv/home"))).isEmpty();
        assertThat(chosen().logs(HomeOption.USUAL).isPresent()).isEqualTo(Files.isWritable(Path.of("/var/log")));
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
