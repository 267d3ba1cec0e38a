package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells where the kubeconfig is. */
@Command(
        name = "kubeconfig",
        mixinStandardHelpOptions = true,
        description = "Print the path of the kubeconfig: export KUBECONFIG=$(argosy kubeconfig)")
final class KubeconfigCommand implements Callable<Integer> {
    @Mixin
    private HomeOption home;

    @Override
    public Integer call() {
        Home opened = new Home(home.path());
        if (!Files.exists(opened.kubeconfig())) {
            System.err.println("There is no kubeconfig in " + opened.root() + " yet: run 'argosy up' first.");
            return 1;
        }
        System.out.println(opened.kubeconfig());
        return 0;
    }
}
