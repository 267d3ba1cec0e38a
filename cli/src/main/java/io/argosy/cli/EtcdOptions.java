package io.argosy.cli;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** How to be let in to an etcd. */
final class EtcdOptions {
    @Option(names = "--etcd-ca", paramLabel = "FILE", description = "Certificates to trust etcd by (PEM).")
    private Path authority;

    @Option(
            names = "--etcd-cert",
            paramLabel = "FILE",
            description = "Our certificate, for an etcd that asks for one (PEM).")
    private Path certificate;

    @Option(names = "--etcd-key", paramLabel = "FILE", description = "Its key (PEM, PKCS#8).")
    private Path key;

    @Option(names = "--etcd-user", paramLabel = "NAME", description = "User at etcd.")
    private String user;

    @Option(names = "--etcd-password-file", paramLabel = "FILE", description = "File that holds the user's password.")
    private Path passwordFile;

    StoreChoice with(String place) {
        Map<String, String> files = new HashMap<>();
        put(files, "etcd-ca", authority);
        put(files, "etcd-cert", certificate);
        put(files, "etcd-key", key);
        put(files, "etcd-password-file", passwordFile);
        if (user != null) {
            files.put("etcd-user", user);
        }
        return new StoreChoice(place, place.equals("sqlite") ? Map.of() : files);
    }

    private static void put(Map<String, String> files, String name, Path path) {
        if (path != null) {
            files.put(name, path.toAbsolutePath().normalize().toString());
        }
    }
}
