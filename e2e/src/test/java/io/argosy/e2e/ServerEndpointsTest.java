package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.cluster.Cluster;
import io.argosy.store.etcd.EtcdConfig;
import io.argosy.store.etcd.EtcdServer;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes' worth of API servers on one etcd: pods find both behind the Service {@code kubernetes}, and not the one that ended. */
@Timeout(120)
class ServerEndpointsTest {
    @TempDir
    Path folder;

    private Cluster server(String name, String address, EtcdServer etcd) {
        return Cluster.builder()
                .home(folder.resolve(name))
                .port(0)
                .nodeName(name)
                .address(address)
                .etcd(EtcdConfig.of(etcd.endpoint()))
                .start();
    }

    private static List<String> listed(Cluster by) {
        EndpointSlice slice = by.client().resources(EndpointSlice.class).get("default", "kubernetes");
        return slice.getEndpoints().stream()
                .map(Endpoint::getAddresses)
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void everyServerIsListedWhileItRuns() throws Exception {
        try (EtcdServer etcd = EtcdServer.start();
                Cluster first = server("one", "10.0.0.1", etcd)) {
            assertThat(listed(first)).containsExactly("10.0.0.1");
            SharedKeys.copy(folder.resolve("one"), folder.resolve("two"));
            try (Cluster second = server("two", "10.0.0.2", etcd)) {
                assertThat(listed(first)).containsExactly("10.0.0.1", "10.0.0.2");
                assertThat(listed(second)).containsExactly("10.0.0.1", "10.0.0.2");
            }
            assertThat(listed(first)).containsExactly("10.0.0.1");
        }
    }
}
