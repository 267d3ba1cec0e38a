package io.argosy.cli;

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

    Protection chosen() {
        Map<String, String> options = new HashMap<>();
        put(options, "encrypt", encrypt);
        return new Protection(options);
    }

    private static void put(Map<String, String> options, String name, String value) {
        if (value != null) {
            options.put(name, value);
        }
    }
}
