package io.argosy.server.cel;

import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import io.argosy.api.names.Names;
import io.argosy.server.cel.Functions.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What Kubernetes gives its rules beyond the language itself: quantities, addresses, URLs, expressions, lists, formats. */
final class KubernetesLibrary {
    private static final Type STRING = new Type(SimpleType.STRING, String.class);
    private static final Type INT = new Type(SimpleType.INT, Long.class);
    private static final Type DOUBLE = new Type(SimpleType.DOUBLE, Double.class);
    private static final Type BOOL = new Type(SimpleType.BOOL, Boolean.class);
    private static final Type QUANTITY = new Type(OpaqueType.create("kubernetes.Quantity"), Quantity.class);
    private static final Type URL = new Type(OpaqueType.create("kubernetes.URL"), URI.class);
    private static final Type IP = new Type(OpaqueType.create("net.IP"), Addresses.Address.class);
    private static final Type CIDR = new Type(OpaqueType.create("net.CIDR"), Addresses.Range.class);
    private static final Type FORMAT = new Type(OpaqueType.create("kubernetes.NamedFormat"), NamedFormat.class);
    private static final Type SEMVER = new Type(OpaqueType.create("kubernetes.Semver"), Semver.class);
    private static final TypeParamType T = TypeParamType.create("T");
    private static final Type ELEMENT = new Type(T, Object.class);
    private static final Type LIST = new Type(ListType.create(T), List.class);
    private static final Type STRINGS = new Type(ListType.create(SimpleType.STRING), List.class);
    private static final Type ANYTHING = new Type(ListType.create(SimpleType.DYN), List.class);

    /**
     * The rules of names that Kubernetes has words for.
     *
     * @param patternLength how long the expression is that a text is held against, for the cost of it
     */
    record NamedFormat(String name, int patternLength, Function<String, Optional<String>> error) {}

    private static final Map<String, NamedFormat> FORMATS = formats();

    private KubernetesLibrary() {}

    static Functions functions() {
        Functions functions = new Functions();
        quantities(functions);
        urls(functions);
        addresses(functions);
        ranges(functions);
        text(functions);
        lists(functions);
        namedFormats(functions);
        Access.functions(functions);
        patches(functions);
        versions(functions);
        return functions;
    }

    private static void versions(Functions f) {
        f.global("semver", SEMVER, List.of(STRING), a -> Semver.parse((String) a[0]));
        f.global(
                "semver",
                SEMVER,
                List.of(STRING, BOOL),
                a -> (Boolean) a[1] ? Semver.tolerant((String) a[0]) : Semver.parse((String) a[0]));
        f.global("isSemver", BOOL, List.of(STRING), a -> Semver.is((String) a[0], false));
        f.global("isSemver", BOOL, List.of(STRING, BOOL), a -> Semver.is((String) a[0], (Boolean) a[1]));
        f.member("major", INT, List.of(SEMVER), a -> ((Semver) a[0]).major());
        f.member("minor", INT, List.of(SEMVER), a -> ((Semver) a[0]).minor());
        f.member("patch", INT, List.of(SEMVER), a -> ((Semver) a[0]).patch());
        List<Type> two = List.of(SEMVER, SEMVER);
        f.member("isLessThan", BOOL, two, a -> ((Semver) a[0]).compareTo((Semver) a[1]) < 0);
        f.member("isGreaterThan", BOOL, two, a -> ((Semver) a[0]).compareTo((Semver) a[1]) > 0);
        f.member("compareTo", INT, two, a -> (long) ((Semver) a[0]).compareTo((Semver) a[1]));
    }

    private static void patches(Functions f) {
        f.global(
                "jsonpatch.escapeKey",
                STRING,
                List.of(STRING),
                a -> ((String) a[0]).replace("~", "~0").replace("/", "~1"));
    }

    private static void quantities(Functions f) {
        f.global("quantity", QUANTITY, List.of(STRING), a -> Quantity.parse((String) a[0]));
        f.global("isQuantity", BOOL, List.of(STRING), a -> Quantity.isQuantity((String) a[0]));
        f.member("sign", INT, List.of(QUANTITY), a ->
                (long) ((Quantity) a[0]).value().signum());
        f.member("isInteger", BOOL, List.of(QUANTITY), a -> ((Quantity) a[0]).isInteger());
        f.member("asInteger", INT, List.of(QUANTITY), a -> ((Quantity) a[0]).asInteger());
        f.member(
                "asApproximateFloat",
                DOUBLE,
                List.of(QUANTITY),
                a -> ((Quantity) a[0]).value().doubleValue());
        f.member("add", QUANTITY, List.of(QUANTITY, QUANTITY), a -> ((Quantity) a[0]).plus(((Quantity) a[1]).value()));
        f.member("add", QUANTITY, List.of(QUANTITY, INT), a -> ((Quantity) a[0]).plus(BigDecimal.valueOf((Long) a[1])));
        f.member(
                "sub",
                QUANTITY,
                List.of(QUANTITY, QUANTITY),
                a -> ((Quantity) a[0]).plus(((Quantity) a[1]).value().negate()));
        f.member(
                "sub",
                QUANTITY,
                List.of(QUANTITY, INT),
                a -> ((Quantity) a[0]).plus(BigDecimal.valueOf((Long) a[1]).negate()));
        f.member("isLessThan", BOOL, List.of(QUANTITY, QUANTITY), a -> compare(a) < 0);
        f.member("isGreaterThan", BOOL, List.of(QUANTITY, QUANTITY), a -> compare(a) > 0);
        f.member("compareTo", INT, List.of(QUANTITY, QUANTITY), a -> (long) Integer.signum(compare(a)));
    }

    private static int compare(Object[] quantities) {
        return ((Quantity) quantities[0]).value().compareTo(((Quantity) quantities[1]).value());
    }

    private static void urls(Functions f) {
        f.global(
                "url",
                URL,
                List.of(STRING),
                a -> url((String) a[0])
                        .orElseThrow(() -> new IllegalArgumentException(
                                "URL parse error during conversion from string: " + a[0])));
        f.global("isURL", BOOL, List.of(STRING), a -> url((String) a[0]).isPresent());
        f.member("getScheme", STRING, List.of(URL), a -> unset(((URI) a[0]).getScheme()));
        f.member("getHost", STRING, List.of(URL), a -> host((URI) a[0]));
        f.member("getHostname", STRING, List.of(URL), a -> unset(((URI) a[0]).getHost()));
        f.member("getPort", STRING, List.of(URL), a -> ((URI) a[0]).getPort() < 0 ? "" : "" + ((URI) a[0]).getPort());
        f.member("getEscapedPath", STRING, List.of(URL), a -> unset(((URI) a[0]).getRawPath()));
        Type query = new Type(MapType.create(SimpleType.STRING, ListType.create(SimpleType.STRING)), Map.class);
        f.member("getQuery", query, List.of(URL), a -> query((URI) a[0]));
    }

    private static Optional<URI> url(String text) {
        try {
            URI url = new URI(text);
            return url.isAbsolute() || text.startsWith("/") ? Optional.of(url) : Optional.empty();
        } catch (URISyntaxException wrong) {
            return Optional.empty();
        }
    }

    private static String host(URI url) {
        return url.getHost() == null ? "" : url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort();
    }

    private static String unset(String part) {
        return part == null ? "" : part;
    }

    private static Map<String, List<String>> query(URI url) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        for (String part : unset(url.getQuery()).split("&", -1)) {
            if (!part.isEmpty()) {
                int equals = part.indexOf('=');
                String key = equals < 0 ? part : part.substring(0, equals);
                query.computeIfAbsent(key, k -> new ArrayList<>()).add(equals < 0 ? "" : part.substring(equals + 1));
            }
        }
        return query;
    }

    private static void addresses(Functions f) {
        f.global("ip", IP, List.of(STRING), a -> ip((String) a[0]));
        f.global(
                "isIP",
                BOOL,
                List.of(STRING),
                a -> Addresses.address((String) a[0]).isPresent());
        f.global(
                "ip.isCanonical",
                BOOL,
                List.of(STRING),
                a -> ip((String) a[0]).toString().equals(a[0]));
        f.global("string", STRING, List.of(IP), a -> a[0].toString());
        f.member("family", INT, List.of(IP), a -> ((Addresses.Address) a[0]).isV4() ? 4L : 6L);
        f.member(
                "isUnspecified",
                BOOL,
                List.of(IP),
                a -> ((Addresses.Address) a[0]).inet().isAnyLocalAddress());
        f.member(
                "isLoopback",
                BOOL,
                List.of(IP),
                a -> ((Addresses.Address) a[0]).inet().isLoopbackAddress());
        f.member(
                "isLinkLocalMulticast",
                BOOL,
                List.of(IP),
                a -> ((Addresses.Address) a[0]).inet().isMCLinkLocal());
        f.member(
                "isLinkLocalUnicast",
                BOOL,
                List.of(IP),
                a -> ((Addresses.Address) a[0]).inet().isLinkLocalAddress());
        f.member("isGlobalUnicast", BOOL, List.of(IP), a -> isGlobal((Addresses.Address) a[0]));
    }

    private static boolean isGlobal(Addresses.Address address) {
        var inet = address.inet();
        boolean broadcast = address.toString().equals("255.255.255.255");
        return !inet.isAnyLocalAddress()
                && !inet.isLoopbackAddress()
                && !inet.isMulticastAddress()
                && !inet.isLinkLocalAddress()
                && !broadcast;
    }

    private static Addresses.Address ip(String text) {
        return Addresses.address(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "IP Address '" + text + "' parse error during conversion from string"));
    }

    private static Addresses.Range cidr(String text) {
        return Addresses.range(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "network address parse error during conversion from string: " + text));
    }

    private static void ranges(Functions f) {
        f.global("cidr", CIDR, List.of(STRING), a -> cidr((String) a[0]));
        f.global(
                "isCIDR",
                BOOL,
                List.of(STRING),
                a -> Addresses.range((String) a[0]).isPresent());
        f.global("string", STRING, List.of(CIDR), a -> a[0].toString());
        f.member(
                "containsIP",
                BOOL,
                List.of(CIDR, IP),
                a -> ((Addresses.Range) a[0]).contains((Addresses.Address) a[1]));
        f.member("containsIP", BOOL, List.of(CIDR, STRING), a -> ((Addresses.Range) a[0]).contains(ip((String) a[1])));
        f.member(
                "containsCIDR",
                BOOL,
                List.of(CIDR, CIDR),
                a -> ((Addresses.Range) a[0]).contains((Addresses.Range) a[1]));
        f.member(
                "containsCIDR",
                BOOL,
                List.of(CIDR, STRING),
                a -> ((Addresses.Range) a[0]).contains(cidr((String) a[1])));
        f.member("ip", IP, List.of(CIDR), a -> ((Addresses.Range) a[0]).address());
        f.member("masked", CIDR, List.of(CIDR), a -> ((Addresses.Range) a[0]).masked());
        f.member("prefixLength", INT, List.of(CIDR), a -> (long) ((Addresses.Range) a[0]).prefix());
    }

    private static void text(Functions f) {
        f.member("find", STRING, List.of(STRING, STRING), a -> {
            var matcher = Patterns.compiled((String) a[1]).matcher((String) a[0]);
            return matcher.find() ? matcher.group() : "";
        });
        f.member("findAll", STRINGS, List.of(STRING, STRING), a -> findAll(a, Long.MAX_VALUE));
        f.member("findAll", STRINGS, List.of(STRING, STRING, INT), a -> findAll(a, (Long) a[2]));
        f.member("format", STRING, List.of(STRING, ANYTHING), a -> TextFormat.format((String) a[0], (List<?>) a[1]));
    }

    private static List<String> findAll(Object[] arguments, long limit) {
        List<String> found = new ArrayList<>();
        var matcher = Patterns.compiled((String) arguments[1]).matcher((String) arguments[0]);
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }

    private static void lists(Functions f) {
        f.member("isSorted", BOOL, List.of(LIST), a -> ListFunctions.isSorted((List<?>) a[0]));
        f.member("sum", ELEMENT, List.of(LIST), a -> ListFunctions.sum((List<?>) a[0]));
        f.member("min", ELEMENT, List.of(LIST), a -> ListFunctions.extreme((List<?>) a[0], -1));
        f.member("max", ELEMENT, List.of(LIST), a -> ListFunctions.extreme((List<?>) a[0], 1));
        f.member(
                SortBy.FUNCTION,
                LIST,
                List.of(LIST, new Type(ListType.create(TypeParamType.create("U")), List.class)),
                a -> SortBy.sorted((List<?>) a[0], (List<?>) a[1]));
        f.member("indexOf", INT, List.of(LIST, ELEMENT), a -> (long) ((List<?>) a[0]).indexOf(a[1]));
        f.member("lastIndexOf", INT, List.of(LIST, ELEMENT), a -> (long) ((List<?>) a[0]).lastIndexOf(a[1]));
    }

    private static void namedFormats(Functions f) {
        f.global(
                "format.named",
                new Type(OptionalType.create(FORMAT.cel()), Optional.class),
                List.of(STRING),
                a -> Optional.ofNullable(FORMATS.get((String) a[0])));
        FORMATS.forEach((name, format) -> f.global("format." + name, FORMAT, List.of(), a -> format));
        f.member(
                "validate",
                new Type(OptionalType.create(ListType.create(SimpleType.STRING)), Optional.class),
                List.of(FORMAT, STRING),
                a -> ((NamedFormat) a[0]).error().apply((String) a[1]).map(List::of));
    }

    private static Map<String, NamedFormat> formats() {
        Map<String, NamedFormat> formats = new LinkedHashMap<>();
        put(formats, "dns1123Label", 30, Names::labelError);
        put(formats, "dns1123Subdomain", 60, Names::subdomainError);
        put(formats, "dns1035Label", 30, Names::label1035Error);
        put(formats, "dns1123LabelPrefix", 30, text -> Names.labelError(text.endsWith("-") ? text + "a" : text));
        put(
                formats,
                "dns1123SubdomainPrefix",
                60,
                text -> Names.subdomainError(text.endsWith("-") ? text + "a" : text));
        put(formats, "dns1035LabelPrefix", 30, text -> Names.label1035Error(text.endsWith("-") ? text + "a" : text));
        put(formats, "qualifiedName", 60, Names::qualifiedNameError);
        put(formats, "labelValue", 40, Names::labelValueError);
        put(formats, "uri", 1103, text -> url(text).isPresent() ? Optional.empty() : Optional.of("invalid URI"));
        put(
                formats,
                "uuid",
                77,
                text -> Patterns.matches(
                                "^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$",
                                text)
                        ? Optional.empty()
                        : Optional.of("does not match the UUID format"));
        put(
                formats,
                "date",
                70,
                text -> Patterns.matches("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", text)
                        ? Optional.empty()
                        : Optional.of("invalid date"));
        put(
                formats,
                "datetime",
                70,
                text -> Patterns.matches(
                                "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt"
                                        + " ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
                                text)
                        ? Optional.empty()
                        : Optional.of("invalid datetime"));
        put(
                formats,
                "byte",
                84,
                text -> Patterns.matches("^[A-Za-z0-9+/]*={0,2}$", text) && text.length() % 4 == 0
                        ? Optional.empty()
                        : Optional.of("invalid base64"));
        return formats;
    }

    private static void put(
            Map<String, NamedFormat> formats, String name, int length, Function<String, Optional<String>> error) {
        formats.put(name, new NamedFormat(name, length, error));
    }
}
