package io.argosy.cli;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.pki.TokenKeys;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.VerifyingKey;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes the key that signs the tokens of service accounts, whether the cluster runs or not. */
@Command(
        name = "key",
        mixinStandardHelpOptions = true,
        description = "List or change the keys that service account tokens are signed with.",
        footer = {
            "",
            "  argosy key list      the key that signs, and earlier ones whose tokens still count",
            "  argosy key rotate    a new key signs from now on; nobody is logged out",
            "  argosy key retire    tokens of earlier keys count no more",
            "",
            "Pods get a token of the new key when theirs is renewed, within an hour; tokens in Secrets and those that were",
            "made with 'kubectl create token --duration' are only replaced by whoever made them. Retire the old key when",
            "they are. API servers that share an etcd need the same keys: copy the home's folder pki and start them again."
        })
final class KeyCommand implements Callable<Integer> {
    enum Action {
        list,
        rotate,
        retire
    }

    /** Begins the commands to a running process; the action follows. */
    static final String COMMAND = "key ";

    @Mixin
    private HomeOption home;

    @Parameters(paramLabel = "ACTION", description = "list, rotate or retire")
    private Action action;

    @Override
    public Integer call() {
        Home opened = new Home(home.path());
        if (!Files.exists(opened.root().resolve("format"))) {
            throw new HomeException(opened.root() + " does not look like a home of Argosy: there are no keys.");
        }
        List<String> answer = new ArrayList<>();
        if (ControlSocket.ask(opened, COMMAND + action, answer::add).isEmpty()) {
            answer.addAll(run(TokenKeys.of(opened), action.name()));
        }
        for (String line : answer) {
            if (line.startsWith(Daemon.FAILED)) {
                throw new HomeException(line.substring(Daemon.FAILED.length()));
            }
            System.out.println(line);
        }
        return 0;
    }

    /** Does it, and says what was done. */
    static List<String> run(TokenKeys keys, String action) {
        return switch (action.toLowerCase(Locale.ROOT)) {
            case "list" -> shown(keys.ring());
            case "rotate" -> shown(keys.rotate());
            case "retire" -> {
                int gone = keys.retire();
                List<String> lines = new ArrayList<>(
                        List.of("Took away " + gone + (gone == 1 ? " earlier key." : " earlier keys.")));
                lines.addAll(shown(keys.ring()));
                yield lines;
            }
            default -> List.of(Daemon.FAILED + "unknown action " + action);
        };
    }

    private static List<String> shown(KeyRing ring) {
        List<String> lines = new ArrayList<>();
        lines.add(ring.signing().verifying().id() + "  signs");
        for (VerifyingKey key : ring.earlier()) {
            lines.add(key.id() + "  verifies");
        }
        return lines;
    }
}
