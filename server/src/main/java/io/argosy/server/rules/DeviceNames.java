package io.argosy.server.rules;

import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** How devices, and what is said of them, are called; and lists of such. */
final class DeviceNames {
    private static final int LONGEST_POOL = 253;
    private static final int LONGEST_DOMAIN = 63;
    private static final int LONGEST_ID = 32;
    private static final Pattern ID = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final String ID_SYNTAX =
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric"
                    + " characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is"
                    + " '[A-Za-z_][A-Za-z0-9_]*')";

    private DeviceNames() {}

    /** The elements of a list that has no more than so many. */
    static List<Spot> limited(Spot list, int most) {
        list.atMost(most);
        return list.value().size() > most ? List.of() : list.each();
    }

    /** Complains about those that are there twice. */
    static void unique(List<Spot> elements, Function<Spot, String> key) {
        Set<String> known = new HashSet<>();
        for (Spot element : elements) {
            if (!known.add(key.apply(element))) {
                element.duplicate(key.apply(element));
            }
        }
    }

    static void pool(Spot pool) {
        if (!pool.needed()) {
            return;
        }
        pool.notLongerThan(LONGEST_POOL);
        for (String part : pool.text().split("/", -1)) {
            Names.subdomainError(part).ifPresent(error -> pool.invalid(part, error));
        }
    }

    /** A name with a domain in front. */
    static void fullyQualified(Spot name) {
        qualified(name, name.text());
        if (!name.text().contains("/")) {
            name.invalid("a fully qualified name must be a domain and a name separated by a slash");
        }
    }

    /** A name that may have a domain in front. */
    static void qualified(Spot place, String name) {
        String[] parts = name.split("/", -1);
        if (parts.length == 1) {
            id(place, name);
        } else if (parts.length == 2) {
            domain(place, parts[0]);
            if (parts[1].isEmpty()) {
                place.invalid("", "the name must not be empty");
            } else {
                id(place, parts[1]);
            }
        }
    }

    private static void domain(Spot place, String domain) {
        if (domain.isEmpty()) {
            place.invalid("", "the domain must not be empty");
            return;
        }
        if (domain.length() > LONGEST_DOMAIN) {
            place.errors().tooLong(place.path(), LONGEST_DOMAIN);
        }
        Names.subdomainError(domain.toLowerCase(Locale.ROOT)).ifPresent(error -> place.invalid(domain, error));
    }

    private static void id(Spot place, String id) {
        if (id.length() > LONGEST_ID) {
            place.errors().tooLong(place.path(), LONGEST_ID);
        }
        if (!ID.matcher(id).matches()) {
            place.invalid(id, ID_SYNTAX);
        }
    }
}
