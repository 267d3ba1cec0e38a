package io.argosy.cli;

import io.argosy.cluster.ClusterBuilder;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.LogFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the cluster is protected, as the user said it.
 *
 * @param options what was said, by the names of the options
 */
record Protection(Map<String, String> options) {
    static final Protection USUAL = new Protection(Map.of());

    private static final String ENCRYPT = "encrypt";
    private static final String POLICY = "audit-policy";
    private static final String LOG = "audit-log-path";
    private static final String SIZE = "audit-log-maxsize";
    private static final String AGE = "audit-log-maxage";
    private static final String BACKUPS = "audit-log-maxbackup";
    private static final String WEBHOOK = "audit-webhook-config-file";
    private static final List<String> NAMES = List.of(ENCRYPT, POLICY, LOG, SIZE, AGE, BACKUPS, WEBHOOK);

    Protection {
        options = Map.copyOf(options);
        boolean audited = options.containsKey(POLICY);
        for (String name : List.of(LOG, SIZE, AGE, BACKUPS, WEBHOOK)) {
            if (options.containsKey(name) && !audited) {
                throw new HomeException(
                        "--" + name + " needs --" + POLICY + ", a file that says what is written down.");
            }
        }
    }

    static boolean isArgument(String name) {
        return NAMES.contains(name);
    }

    List<String> arguments() {
        return NAMES.stream()
                .filter(options::containsKey)
                .map(name -> name + "=" + options.get(name))
                .toList();
    }

    void applyTo(ClusterBuilder builder, Path home) {
        if (options.containsKey(POLICY)) {
            builder.audit(audit(new Home(home)));
        }
        if (options.containsKey(ENCRYPT)) {
            String resources = options.get(ENCRYPT);
            builder.encrypt(resources.equals("none") ? List.of() : List.of(resources.split(",", -1)));
        }
    }

    /** To a file, unless all that was said is where to post events. */
    private Audit.Config audit(Home home) {
        Optional<Path> webhook = Optional.ofNullable(options.get(WEBHOOK)).map(Path::of);
        boolean toFile = webhook.isEmpty() || options.containsKey(LOG);
        Path file = options.containsKey(LOG)
                ? Path.of(options.get(LOG))
                : home.logs().resolve("audit.log");
        LogFile.Config log = new LogFile.Config(
                file,
                Long.parseLong(options.getOrDefault(SIZE, "100")) << 20,
                Duration.ofDays(Long.parseLong(options.getOrDefault(AGE, "0"))),
                Integer.parseInt(options.getOrDefault(BACKUPS, "10")));
        return new Audit.Config(Path.of(options.get(POLICY)), toFile ? Optional.of(log) : Optional.empty(), webhook);
    }
}
