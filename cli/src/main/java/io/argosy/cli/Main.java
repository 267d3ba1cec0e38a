package io.argosy.cli;

import io.argosy.cluster.home.HomeException;
import io.argosy.node.image.ImageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The argosy command. */
@Command(
        name = "argosy",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "A Kubernetes-compatible cluster in one Java process.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nFirst steps:%n",
        footer = {
            "  argosy up                              start a cluster on this machine",
            "  export KUBECONFIG=$(argosy kubeconfig) let kubectl find it",
            "  kubectl get nodes",
            "  argosy down                            stop it again, keeping its state",
            "",
            "Beside these, 'argosy test' runs the tests and 'argosy bench' the benchmarks."
        },
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            KubeconfigCommand.class,
            ImageCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            StoreCommand.class,
            KeyCommand.class,
            SecretsCommand.class,
            CertCommand.class,
            UserCommand.class,
            CrdCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof HomeException || failure instanceof ImageException) {
                command.getErr().println(failure.getMessage());
            } else {
                failure.printStackTrace(command.getErr());
            }
            return 1;
        });
        System.exit(commandLine.execute(arguments));
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Argosy 0.1.0 (Kubernetes v1.35)"};
        }
    }
}
