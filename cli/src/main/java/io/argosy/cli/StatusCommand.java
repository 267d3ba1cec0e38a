package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells whether a cluster runs, and how it is. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Show whether the cluster runs, and how it is.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it runs", "3:it does not"})
final class StatusCommand implements Callable<Integer> {
    private static final int NOT_RUNNING = 3;

    @Mixin
    private HomeOption home;

    @Override
    public Integer call() {
        Home opened = new Home(home.path());
        if (ControlSocket.ask(opened, "status", System.out::println).isEmpty()) {
            System.out.println("Argosy is not running (home " + opened.root() + ").");
            return NOT_RUNNING;
        }
        return 0;
    }
}
