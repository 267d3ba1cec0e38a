package io.argosy.cli;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.store.etcd.EtcdConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the state is kept, as the user said it: in the home, or in an etcd. A home remembers it, so that the next start does not look
 * elsewhere.
 *
 * @param place {@code sqlite} or {@code etcd=URL,...}
 * @param files what else was said of etcd, by the names of the options
 */
record StoreChoice(String place, Map<String, String> files) {
    static final StoreChoice EMBEDDED = new StoreChoice("sqlite", Map.of());

    private static final String ETCD = "etcd=";
    private static final List<String> OPTIONS =
            List.of("etcd-ca", "etcd-cert", "etcd-key", "etcd-user", "etcd-password-file");

    StoreChoice {
        files = Map.copyOf(files);
        if (!place.equals("sqlite") && !place.startsWith(ETCD)) {
            throw new HomeException(
                    "There is no store '" + place + "': say sqlite, or etcd=URL such as etcd=http://127.0.0.1:2379.");
        }
        if (place.startsWith(ETCD)) {
            endpoints(place).forEach(StoreChoice::checkEndpoint);
        }
    }

    private static List<String> endpoints(String place) {
        return List.of(place.substring(ETCD.length()).split(",", -1));
    }

    private static void checkEndpoint(String endpoint) {
        try {
            URI uri = URI.create(endpoint);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (http && uri.getHost() != null && uri.getPort() > 0 && uri.getUserInfo() == null) {
                return;
            }
        } catch (IllegalArgumentException malformed) {
            throw badEndpoint(endpoint);
        }
        throw badEndpoint(endpoint);
    }

    private static HomeException badEndpoint(String endpoint) {
        return new HomeException("'" + endpoint + "' is no address of an etcd: write it with scheme and port, such as"
                + " https://10.0.0.1:2379, and name user and password with --etcd-user and --etcd-password-file.");
    }

    /** Where etcd is; null for the home's own database. */
    EtcdConfig etcd() {
        if (!place.startsWith(ETCD)) {
            return null;
        }
        String user = files.get("etcd-user");
        return new EtcdConfig(
                endpoints(place),
                path("etcd-ca"),
                path("etcd-cert"),
                path("etcd-key"),
                user,
                user == null ? null : password());
    }

    private Path path(String option) {
        String value = files.get(option);
        return value == null ? null : Path.of(value);
    }

    private String password() {
        Path file = path("etcd-password-file");
        if (file == null) {
            throw new HomeException("--etcd-user needs --etcd-password-file, a file with the password.");
        }
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new HomeException("The password of etcd's user cannot be read from " + file + ".", e);
        }
    }

    static boolean isArgument(String name) {
        return name.equals("store") || OPTIONS.contains(name);
    }

    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add("store=" + place);
        for (String option : OPTIONS) {
            if (files.containsKey(option)) {
                arguments.add(option + "=" + files.get(option));
            }
        }
        return arguments;
    }

    static StoreChoice ofArguments(Map<String, String> arguments) {
        Map<String, String> files = new HashMap<>(arguments);
        String place = files.remove("store");
        return place == null ? EMBEDDED : new StoreChoice(place, files);
    }

    /** What the home was last started with. */
    static StoreChoice remembered(Home home) {
        try {
            Map<String, String> arguments = new HashMap<>();
            for (String line : Files.readAllLines(file(home))) {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    arguments.put(line.substring(0, equals), line.substring(equals + 1));
                }
            }
            return ofArguments(arguments);
        } catch (NoSuchFileException never) {
            return EMBEDDED;
        } catch (IOException e) {
            throw new HomeException("The file " + file(home) + " cannot be read: " + e.getMessage() + ".", e);
        }
    }

    void remember(Home home) {
        try {
            if (equals(EMBEDDED)) {
                Files.deleteIfExists(file(home));
            } else {
                Home.write(file(home), String.join("\n", arguments()) + "\n");
            }
        } catch (IOException e) {
            throw new HomeException("The file " + file(home) + " cannot be written: " + e.getMessage() + ".", e);
        }
    }

    private static Path file(Home home) {
        return home.root().resolve("store");
    }
}
