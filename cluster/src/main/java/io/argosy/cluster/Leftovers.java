package io.argosy.cluster;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.UsedNetworks;
import io.argosy.node.agent.log.LogFolders;
import io.argosy.node.agent.volume.PodVolumes;
import io.argosy.node.runtime.oci.OciRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** Containers that outlived the process that started them, and everything on the machine that belongs to them. */
public final class Leftovers {
    private Leftovers() {}

    /** Removes what an earlier run from this home left on the machine; false if there was nothing. Nothing may run from the home. */
    public static boolean remove(Home home) throws IOException, InterruptedException {
        Optional<UsedNetworks> networks = UsedNetworks.of(home);
        if (networks.isEmpty() || !Files.isDirectory(home.runtime())) {
            return false;
        }
        ClusterConfig config = new ClusterBuilder()
                .home(home.root())
                .podCidr(networks.get().podCidr())
                .serviceCidr(networks.get().serviceCidr())
                .config();
        boolean found;
        try (OciRuntime runtime = MachineNode.openRuntime(config, home, Clock.system())) {
            found = !runtime.sandboxes().isEmpty();
            runtime.destroyAll();
        }
        PodVolumes.unmountAll(home.node());
        LogFolders.ofHome(home.node()).leaveAll();
        MachineNode.removeRules(config, home);
        return found;
    }
}
