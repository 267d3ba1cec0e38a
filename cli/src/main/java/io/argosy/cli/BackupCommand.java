package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.cluster.backup.Backup;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes the cluster into one file, whether it runs or not. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = "Write all objects and keys of the cluster into one file; it may be running meanwhile.",
        footer = {
            "",
            "  argosy backup /backups/monday.argosy",
            "",
            "The file holds every object as of one moment, and the cluster's keys: whoever has it is its administrator. It is",
            "read again and checked before it gets its name. Images and the volumes of pods are not in it."
        })
final class BackupCommand implements Callable<Integer> {
    @Mixin
    private HomeOption home;

    @Parameters(paramLabel = "FILE", description = "The file to write; must not be there yet.")
    private Path file;

    @Override
    public Integer call() {
        Home opened = new Home(home.path());
        Path target = file.toAbsolutePath().normalize();
        if (target.getParent() == null || !Files.isDirectory(target.getParent())) {
            throw new HomeException("There is no folder " + target.getParent() + " to write the backup to.");
        }
        Daemon.requireHome(opened);
        System.out.println(Daemon.ask(
                opened, Daemon.BACKUP + target, () -> "Wrote " + stopped(Home.open(opened.root()), target) + "."));
        return 0;
    }

    private static Backup.Summary stopped(Home home, Path target) {
        Clock clock = Clock.system();
        Encryption encryption = Encryption.open(home);
        try (Store store = Stores.open(home, StoreChoice.remembered(home).etcd(), encryption, clock)) {
            return Backup.write(home, store, encryption, target, clock.now());
        } catch (StoreException explained) {
            throw new HomeException(explained.getMessage(), explained);
        }
    }
}
