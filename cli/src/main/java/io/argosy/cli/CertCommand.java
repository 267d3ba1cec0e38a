package io.argosy.cli;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.pki.Pki;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;

/** The cluster's certificates. */
@Command(
        name = "cert",
        mixinStandardHelpOptions = true,
        description = "Show and renew the cluster's certificates.",
        footer = {
            "",
            "  argosy cert list",
            "  argosy cert renew",
            "",
            "A running cluster renews them by itself when a third of their life is left, and the kubeconfig in the home with",
            "them; a copy of it elsewhere must be copied again before its certificate lapses."
        },
        subcommands = HelpCommand.class)
final class CertCommand {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Show them, and until when they are valid.")
    int list(@Mixin HomeOption home) {
        Home opened = new Home(home.path());
        Daemon.requireHome(opened);
        Instant now = Clock.system().now();
        System.out.printf("%-12s %-45s %-22s %-10s %s%n", "FILE", "SUBJECT", "EXPIRES", "LEFT", "RENEWED");
        for (Pki.Listed one : Pki.list(opened)) {
            System.out.printf(
                    "%-12s %-45s %-22s %-10s %s%n",
                    one.file(),
                    one.subject(),
                    DAY.format(one.notAfter()),
                    left(now, one.notAfter()),
                    one.renewed().map(DAY::format).orElse("never"));
        }
        return 0;
    }

    private static String left(Instant now, Instant end) {
        Duration left = Duration.between(now, end);
        return left.isNegative() ? "lapsed" : left.toDays() + "d";
    }

    @Command(
            name = "renew",
            mixinStandardHelpOptions = true,
            description = "Renew those of the server and the administrator now; the cluster may be running.")
    int renew(@Mixin HomeOption home) {
        Home opened = new Home(home.path());
        Daemon.requireHome(opened);
        System.out.println(Daemon.ask(
                opened,
                Daemon.RENEW,
                () -> said(Pki.renewAll(opened, Clock.system().now())) + " 'argosy up' will use them."));
        return 0;
    }

    static String said(List<String> names) {
        return "Renewed the certificates of " + String.join(" and ", names) + ".";
    }
}
