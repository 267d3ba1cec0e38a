package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.cluster.backup.Backup;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        if (!Files.exists(opened.root().resolve("format"))) {
            throw new HomeException(
                    opened.root() + " does not look like a home of Argosy: there is nothing to back up.");
        }
        List<String> answer = new ArrayList<>();
        if (ControlSocket.ask(opened, Daemon.BACKUP + target, answer::add).isEmpty()) {
            answer.add("Wrote " + stopped(Home.open(opened.root()), target) + ".");
        }
        String last = answer.isEmpty() ? Daemon.FAILED + "Argosy ended before the backup was done." : answer.getLast();
        if (last.startsWith(Daemon.FAILED)) {
            throw new HomeException(last.substring(Daemon.FAILED.length()));
        }
        System.out.println(last);
        return 0;
    }

    private static Backup.Summary stopped(Home home, Path target) {
        Clock clock = Clock.system();
        try (Store store = Stores.open(home, StoreChoice.remembered(home).etcd(), clock)) {
            return Backup.write(home, store, target, clock.now());
        } catch (StoreException explained) {
            throw new HomeException(explained.getMessage(), explained);
        }
    }
}
