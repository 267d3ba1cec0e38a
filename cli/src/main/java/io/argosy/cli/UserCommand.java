package io.argosy.cli;

import io.argosy.api.json.Json;
import io.argosy.cluster.Cluster;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.pki.UserKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Further users of the cluster. */
@Command(
        name = "user",
        mixinStandardHelpOptions = true,
        description = "Let further users in.",
        subcommands = HelpCommand.class)
final class UserCommand {
    /** Begins the command for the running process; what it is about follows, encoded. */
    static final String COMMAND = "user add ";

    private static final int MAX_DAYS = 3650;

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Make a key and a kubeconfig for a user; its certificate is signed by the running cluster.",
            footer = {
                "",
                "  argosy user add jane --group developers",
                "  kubectl create rolebinding jane --clusterrole view --user jane --namespace default",
                "  kubectl --kubeconfig jane.kubeconfig get pods",
                "",
                "The user may do nothing until a role is bound to the name or to one of the groups. Nobody can take the",
                "certificate back before it lapses; take the bindings away instead."
            })
    int add(
            @Mixin HomeOption home,
            @Parameters(paramLabel = "NAME", description = "The user's name.") String name,
            @Option(names = "--group", paramLabel = "GROUP", description = "A group of the user's; may be repeated.")
                    List<String> groups,
            @Option(
                            names = "--days",
                            defaultValue = "365",
                            description = "How long the certificate is valid (default: 365).")
                    int days,
            @Option(
                            names = "--out",
                            paramLabel = "FILE",
                            description = "The kubeconfig to write (default: NAME.kubeconfig here).")
                    Path out)
            throws IOException {
        check(name, groups == null ? List.of() : groups, days);
        Path file = (out == null ? Path.of(name + ".kubeconfig") : out)
                .toAbsolutePath()
                .normalize();
        if (Files.exists(file)) {
            throw new HomeException(file + " is there already: choose another name with --out, or remove it first.");
        }
        if (!Files.isDirectory(file.getParent())) {
            throw new HomeException("There is no folder " + file.getParent() + " to write the kubeconfig to.");
        }
        UserKey key = UserKey.of(name, groups == null ? List.of() : groups);
        String asked = Json.object()
                .put("name", name)
                .put("request", key.request())
                .put("days", days)
                .toString();
        String answer = Daemon.ask(new Home(home.path()), COMMAND + encoded(asked), () -> {
            throw new HomeException(
                    "Argosy is not running (home " + home.path() + "): start it with 'argosy up' first.");
        });
        Home.write(file, decoded(answer).replace(KEY, encoded(key.key())));
        System.out.println("Wrote " + file + ": user " + name
                + (groups == null ? "" : " of " + String.join(", ", groups)) + ", for " + days + " days.");
        return 0;
    }

    private static void check(String name, List<String> groups, int days) {
        if (name.isBlank() || name.indexOf('/') >= 0 || name.chars().anyMatch(Character::isISOControl)) {
            throw new HomeException("A user's name must not be empty nor hold slashes or control characters.");
        }
        if (groups.contains("system:masters")) {
            throw new HomeException(
                    "system:masters is for the cluster's own administrator: bind cluster-admin to the user instead.");
        }
        if (days < 1 || days > MAX_DAYS) {
            throw new HomeException("--days must be between 1 and " + MAX_DAYS + ".");
        }
    }

    /** Stands where the key belongs, which the running process never sees. */
    private static final String KEY = "@the-key@";

    /** In the running process: the kubeconfig but for the key. */
    static String carryOut(Cluster cluster, String encoded) {
        var asked = Json.decodeObject(decoded(encoded).getBytes(StandardCharsets.UTF_8));
        String name = asked.path("name").asText();
        String certificate = cluster.certificates()
                .certify(
                        name,
                        asked.path("request").asText(),
                        Duration.ofDays(asked.path("days").asInt()));
        String complete = cluster.certificates().kubeconfig(name, certificate, KEY);
        return encoded(complete.replace(encoded(KEY), KEY));
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }
}
