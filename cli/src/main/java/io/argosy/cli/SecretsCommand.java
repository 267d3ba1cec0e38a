package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.encryption.Rotation;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;

/** How Secrets are kept where they are stored. */
@Command(
        name = "secrets",
        mixinStandardHelpOptions = true,
        description = "Look after the keys that encrypt Secrets in the store.",
        subcommands = HelpCommand.class)
final class SecretsCommand {
    @Command(
            name = "rotate",
            mixinStandardHelpOptions = true,
            description = "Encrypt all Secrets in the store with a new key; the cluster may be running meanwhile.",
            footer = {
                "",
                "  argosy secrets rotate",
                "",
                "The key is added in front of the others in pki/encryption.json of the home; every object that is encrypted",
                "('argosy up --encrypt' says which kinds) is written again. Should it be cut off, nothing is lost: run it again.",
                "Where several API servers share an etcd, stop the others first and give them the new file before they start."
            })
    int rotate(@Mixin HomeOption home) {
        Home opened = new Home(home.path());
        Daemon.requireHome(opened);
        System.out.println(Daemon.ask(opened, Daemon.ROTATE, () -> stopped(Home.open(opened.root())) + ""));
        return 0;
    }

    private static Rotation.Summary stopped(Home home) {
        Encryption encryption = Encryption.open(home);
        try (Store store = Stores.open(home, StoreChoice.remembered(home).etcd(), encryption, Clock.system())) {
            return encryption.rotate(store);
        } catch (StoreException explained) {
            throw new HomeException(explained.getMessage(), explained);
        }
    }
}
