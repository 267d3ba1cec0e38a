package io.argosy.cli;

import io.argosy.cluster.backup.Restore;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a home of a backup. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = "Make a home of a backup file; start it with 'up' then.",
        footer = {
            "",
            "  argosy restore /backups/monday.argosy",
            "  argosy up",
            "",
            "The file is checked before anything is written, and a home that holds a cluster is left alone. The state is",
            "restored into the home's own database; 'argosy store copy' moves it to etcd."
        })
final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private HomeOption home;

    @Parameters(paramLabel = "FILE", description = "A file that 'argosy backup' wrote.")
    private Path file;

    @Override
    public Integer call() {
        Restore.into(home.path(), file);
        System.out.println("Restored into " + home.path() + ". Start it with 'argosy up'.");
        return 0;
    }
}
