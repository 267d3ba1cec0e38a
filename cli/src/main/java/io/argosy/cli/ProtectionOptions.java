package io.argosy.cli;

import io.argosy.cluster.home.HomeException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** How the cluster is to be protected. */
final class ProtectionOptions {
    @Option(
            names = "--encrypt",
            paramLabel = "RESOURCES",
            description = {
                "What is encrypted in the store, such as secrets,configmaps,widgets.example.com; none for nothing.",
                "Secrets are if this is never said; the home remembers it. 'argosy secrets rotate' does what is stored."
            })
    private String encrypt;

    @Option(
            names = "--audit-policy",
            paramLabel = "FILE",
            description = "Write down requests as this Policy (audit.k8s.io/v1) says.")
    private Path policy;

    @Option(
            names = "--audit-log-path",
            paramLabel = "FILE",
            description = "Where to, as lines of JSON (default: log/audit.log in the home).")
    private Path log;

    @Option(names = "--audit-log-maxsize", paramLabel = "MB", description = "Put it aside at this size (default: 100).")
    private Integer size;

    @Option(
            names = "--audit-log-maxage",
            paramLabel = "DAYS",
            description = "Keep what was put aside for so long (default: 0, for ever).")
    private Integer age;

    @Option(
            names = "--audit-log-maxbackup",
            paramLabel = "N",
            description = "Keep so many that were put aside (default: 10; 0 for all).")
    private Integer backups;

    @Option(
            names = "--audit-webhook-config-file",
            paramLabel = "FILE",
            description =
                    "Post events to the server that this kubeconfig names; with --audit-log-path write them, too.")
    private Path webhook;

    Protection chosen() {
        Map<String, String> options = new HashMap<>();
        put(options, "encrypt", encrypt);
        put(options, "audit-policy", path(policy));
        put(options, "audit-log-path", path(log));
        put(options, "audit-log-maxsize", number("--audit-log-maxsize", size, 1));
        put(options, "audit-log-maxage", number("--audit-log-maxage", age, 0));
        put(options, "audit-log-maxbackup", number("--audit-log-maxbackup", backups, 0));
        put(options, "audit-webhook-config-file", path(webhook));
        return new Protection(options);
    }

    private static String path(Path file) {
        return file == null ? null : file.toAbsolutePath().normalize().toString();
    }

    private static String number(String option, Integer value, int least) {
        if (value != null && value < least) {
            throw new HomeException(option + " must be " + least + " or more.");
        }
        return value == null ? null : value.toString();
    }

    private static void put(Map<String, String> options, String name, String value) {
        if (value != null) {
            options.put(name, value);
        }
    }
}
