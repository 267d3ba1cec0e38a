package io.argosy.cli;

import io.argosy.cluster.ClusterBuilder;
import java.util.List;
import java.util.Map;

/**
 * How the cluster is protected, as the user said it.
 *
 * @param options what was said, by the names of the options
 */
record Protection(Map<String, String> options) {
    static final Protection USUAL = new Protection(Map.of());

    private static final String ENCRYPT = "encrypt";
    private static final List<String> NAMES = List.of(ENCRYPT);

    Protection {
        options = Map.copyOf(options);
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

    void applyTo(ClusterBuilder builder) {
        if (options.containsKey(ENCRYPT)) {
            String resources = options.get(ENCRYPT);
            builder.encrypt(resources.equals("none") ? List.of() : List.of(resources.split(",", -1)));
        }
    }
}
