package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.cluster.backup.StoreCopy;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The store that the cluster's state is in. */
@Command(
        name = "store",
        mixinStandardHelpOptions = true,
        description = "Move the cluster's state from one store to another.",
        subcommands = HelpCommand.class)
final class StoreCommand {
    @Command(
            name = "copy",
            mixinStandardHelpOptions = true,
            description = "Copy all objects of a stopped cluster into another, empty store.",
            footer = {
                "",
                "  argosy down",
                "  argosy store copy --from sqlite --to etcd=http://127.0.0.1:2379",
                "  argosy up --store etcd=http://127.0.0.1:2379",
                "",
                "In etcd the objects stand where upstream Kubernetes looks for them and in its own encoding, so that its",
                "kube-apiserver (v1.35) can be started on the same etcd; give it the keys in the home's folder pki, and its",
                "file encryption.json as --encryption-provider-config, because Secrets are encrypted in both stores.",
                "What was copied from stays as it is. Custom objects and events are copied too, history is not."
            })
    int copy(
            @Mixin HomeOption home,
            @Option(
                            names = "--from",
                            required = true,
                            paramLabel = "STORE",
                            description = "sqlite (the home's own database) or etcd=URL[,URL...].")
                    String from,
            @Option(
                            names = "--to",
                            required = true,
                            paramLabel = "STORE",
                            description = "sqlite or etcd=URL[,URL...]; must be empty.")
                    String to,
            @Mixin EtcdOptions etcd) {
        if (from.equals(to)) {
            throw new HomeException("--from and --to are the same store: there is nothing to copy.");
        }
        Home opened = Home.open(home.path());
        if (ControlSocket.ask(opened, "status", line -> {}).isPresent()) {
            throw new HomeException(
                    "Argosy is running: stop it first with 'argosy down', so that nothing changes meanwhile.");
        }
        Clock clock = Clock.system();
        Encryption encryption = Encryption.open(opened);
        try (Store source = Stores.open(opened, etcd.with(from).etcd(), encryption, clock);
                Store target = Stores.open(opened, etcd.with(to).etcd(), encryption, clock)) {
            long copied = StoreCopy.copy(source, target);
            System.out.println("Copied " + copied + " objects. Start with 'argosy up --store " + to + "'.");
            return 0;
        } catch (StoreException explained) {
            throw new HomeException(explained.getMessage(), explained);
        }
    }
}
