package io.argosy.api.names;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The syntax of names and labels, with Kubernetes' words for what is wrong; matching is linear, whatever the input. */
public final class Names {
    private static final int LABEL_LENGTH = 63;
    private static final int SUBDOMAIN_LENGTH = 253;
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern LABEL_1035 = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern QUALIFIED_PART = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?");

    /** No vowels and no look-alikes, so that no word forms by accident. */
    private static final String SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

    private static final int SUFFIX_LENGTH = 5;

    private Names() {}

    /** Names of most objects. */
    public static Optional<String> subdomainError(String name) {
        return name.length() > SUBDOMAIN_LENGTH ? longName(SUBDOMAIN_LENGTH) : subdomainSyntaxError(name);
    }

    private static Optional<String> subdomainSyntaxError(String name) {
        for (String part : name.split("\\.", -1)) {
            if (!LABEL.matcher(part).matches()) {
                return Optional.of(
                        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
                                + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for"
                                + " validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
            }
        }
        return Optional.empty();
    }

    /** Names of namespaces. */
    public static Optional<String> labelError(String name) {
        if (name.length() > LABEL_LENGTH) {
            return longName(LABEL_LENGTH);
        }
        if (LABEL.matcher(name).matches()) {
            return Optional.empty();
        }
        return subdomainSyntaxError(name).isEmpty()
                ? Optional.of("must not contain dots")
                : Optional.of(
                        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
                                + " start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for"
                                + " validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    }

    /** Names of services. */
    public static Optional<String> label1035Error(String name) {
        if (name.length() > LABEL_LENGTH) {
            return longName(LABEL_LENGTH);
        }
        return LABEL_1035.matcher(name).matches()
                ? Optional.empty()
                : Optional.of(
                        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
                                + " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123',"
                                + " regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
    }

    /** Names of RBAC objects: anything that can stand in a path. */
    public static Optional<String> pathSegmentError(String name) {
        if (name.equals(".") || name.equals("..")) {
            return Optional.of("may not be '" + name + "'");
        }
        if (name.indexOf('/') >= 0 || name.indexOf('%') >= 0) {
            return Optional.of("may not contain '" + (name.indexOf('/') >= 0 ? '/' : '%') + "'");
        }
        return Optional.empty();
    }

    /** Label and annotation keys: {@code [prefix/]name}. */
    public static Optional<String> qualifiedNameError(String key) {
        String name = key;
        int slash = key.indexOf('/');
        if (slash >= 0) {
            String prefix = key.substring(0, slash);
            name = key.substring(slash + 1);
            if (prefix.isEmpty()) {
                return Optional.of("prefix part must be non-empty");
            }
            Optional<String> prefixError =
                    prefix.length() > SUBDOMAIN_LENGTH ? tooLong(SUBDOMAIN_LENGTH) : subdomainSyntaxError(prefix);
            if (prefixError.isPresent()) {
                return Optional.of("prefix part " + prefixError.get());
            }
        }
        if (name.isEmpty()) {
            return Optional.of("name part must be non-empty");
        }
        if (name.length() > LABEL_LENGTH) {
            return Optional.of("name part must be no more than " + LABEL_LENGTH + " bytes");
        }
        return QUALIFIED_PART.matcher(name).matches()
                ? Optional.empty()
                : Optional.of(
                        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                                + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                                + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
    }

    public static Optional<String> labelValueError(String value) {
        if (value.length() > LABEL_LENGTH) {
            return tooLong(LABEL_LENGTH);
        }
        return value.isEmpty() || QUALIFIED_PART.matcher(value).matches()
                ? Optional.empty()
                : Optional.of(
                        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
                                + " must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345',"
                                + " regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    }

    /** A name that begins with the base; the base gives way where the whole would be too long for a label. */
    public static String generate(String base) {
        return generate(base, ThreadLocalRandom.current());
    }

    /** The same, by that chance. */
    public static String generate(String base, RandomGenerator random) {
        int room = LABEL_LENGTH - SUFFIX_LENGTH;
        StringBuilder name = new StringBuilder(base.length() > room ? base.substring(0, room) : base);
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            name.append(SUFFIX_ALPHABET.charAt(random.nextInt(SUFFIX_ALPHABET.length())));
        }
        return name.toString();
    }

    /** Kubernetes counts characters in the names of things, and bytes in the keys and values of labels, and says so. */
    private static Optional<String> longName(int limit) {
        return Optional.of("must be no more than " + limit + " characters");
    }

    private static Optional<String> tooLong(int limit) {
        return Optional.of("must be no more than " + limit + " bytes");
    }
}
