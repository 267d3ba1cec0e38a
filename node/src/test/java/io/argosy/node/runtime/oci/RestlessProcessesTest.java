package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that never stay, in a pod that does not end with its first process. */
class RestlessProcessesTest {
    /** Many chains of processes, each of which makes the next one and is gone. */
    private static final String HOPPING =
            "hop() { sleep 0.00$1; hop $1 & }; for i in $(seq 1 9); do hop $i & hop $i & done; echo hopping; sleep"
                    + " 1000";

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allThatAContainerHasMadeEndsWithIt(boolean ofHost) throws Exception {
        try (BusyboxHost host = new BusyboxHost("hop", 19)) {
            Sandbox sandbox = host.runtime.runSandbox(host.pod("restless")
                    .namespaces(new Namespaces(false, ofHost, false, !ofHost, Optional.empty()))
                    .resources(LinuxResources.NONE.withPids(200))
                    .build());
            String id = host.run(sandbox, host.shell(HOPPING).build());
            host.awaitOutput(id, "hopping");

            host.runtime.stopContainer(id, Duration.ZERO);

            String group = host.config.cgroupParent() + "/pod" + sandbox.pod().uid() + "/" + id;
            assertThat(Cgroups.detect().processes(group)).isEqualTo(List.of());
            host.runtime.removeSandbox(sandbox.id());
        }
    }
}
