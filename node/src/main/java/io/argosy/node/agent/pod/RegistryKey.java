package io.argosy.node.agent.pod;

import java.util.regex.Pattern;

/** What credentials are kept under: a registry, in whose name stars stand for parts, and perhaps the beginning of a path in it. */
final class RegistryKey {
    private RegistryKey() {}

    /** The key as it is compared, without a scheme and without the version of the registry's interface. */
    static String of(String written) {
        String key = written.replaceFirst("^https?://", "");
        int slash = key.indexOf('/');
        String host = slash < 0 ? key : key.substring(0, slash);
        String path = slash < 0 ? "" : key.substring(slash).replaceFirst("^/v[12]/", "/");
        return path.equals("/") ? host : host + path;
    }

    /** Whether it is for a repository, given with its registry. */
    static boolean matches(String key, String repository) {
        String[] wanted = split(key);
        String[] given = split(repository);
        return hostMatches(wanted[0], given[0]) && given[1].startsWith(wanted[1]);
    }

    /** Host and port, and the path with its slash. */
    private static String[] split(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? new String[] {name, ""} : new String[] {name.substring(0, slash), name.substring(slash)};
    }

    /** A star never stands for more than one part between dots, nor for a port. */
    private static boolean hostMatches(String glob, String host) {
        StringBuilder pattern = new StringBuilder();
        for (char c : glob.toCharArray()) {
            pattern.append(
                    switch (c) {
                        case '*' -> "[^.:]*";
                        case '?' -> "[^.:]";
                        default -> Pattern.quote(String.valueOf(c));
                    });
        }
        return host.matches(pattern.toString());
    }
}
