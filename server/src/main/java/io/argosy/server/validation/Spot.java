package io.argosy.server.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.argosy.api.names.Names;
import io.argosy.api.net.Ip;
import io.argosy.api.status.FieldErrors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A place in an object that is being checked: what stands there, what the place is called, and where complaints go. */
public record Spot(JsonNode value, String path, FieldErrors errors) {
    private static final Pattern PORT_NAME_CHARACTERS = Pattern.compile("[-a-z0-9]+");
    private static final Pattern LETTER = Pattern.compile("[a-z]");
    private static final Pattern HTTP_PATH = Pattern.compile("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");
    private static final int LONGEST_PORT_NAME = 15;
    private static final int LARGEST_ANNOTATIONS = 256 * 1024;

    public Spot at(String field) {
        return new Spot(value.path(field), path.isEmpty() ? field : path + "." + field, errors);
    }

    /** The same under the name that it has for who wrote it. */
    public Spot called(String name) {
        return new Spot(value, name, errors);
    }

    /** The value of a key in a map. */
    public Spot key(String key) {
        return new Spot(value.path(key), path + "[" + key + "]", errors);
    }

    /** The elements of the list here. */
    public List<Spot> each() {
        List<Spot> spots = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            spots.add(new Spot(value.get(i), path + "[" + i + "]", errors));
        }
        return spots;
    }

    /** The elements of the list in a field. */
    public List<Spot> each(String field) {
        return at(field).each();
    }

    /** The entries of the map here. */
    public List<Spot> entries() {
        List<Spot> spots = new ArrayList<>();
        value.fieldNames().forEachRemaining(name -> spots.add(key(name)));
        return spots;
    }

    public boolean isGiven() {
        return !value.isMissingNode() && !value.isNull();
    }

    public boolean has(String field) {
        return at(field).isGiven();
    }

    public String text() {
        return value.asText("");
    }

    public String text(String field) {
        return value.path(field).asText("");
    }

    public long number() {
        return value.asLong();
    }

    public boolean isTrue(String field) {
        return value.path(field).asBoolean();
    }

    public void required() {
        required("");
    }

    public void required(String detail) {
        errors.required(path, detail);
    }

    public void invalid(String detail) {
        invalid(value.isTextual() ? value.asText() : value.isMissingNode() ? "" : value, detail);
    }

    public void invalid(Object shown, String detail) {
        errors.invalid(path, shown, detail);
    }

    /** Something about all that stands here, which is not shown. */
    public void wrong(String detail) {
        errors.invalid(path, detail);
    }

    public void forbidden(String detail) {
        errors.forbidden(path, detail);
    }

    public void duplicate(Object shown) {
        errors.duplicate(path, shown);
    }

    public void notFound() {
        errors.notFound(path, text());
    }

    /** Something must be there. */
    public boolean needed() {
        if (isGiven() && !(value.isTextual() && text().isEmpty())) {
            return true;
        }
        required();
        return false;
    }

    /** One of these words, if anything. */
    public void oneOf(List<String> words) {
        if (isGiven() && !text().isEmpty() && !words.contains(text())) {
            errors.notSupported(path, text(), words);
        }
    }

    /** One of these words if anything is said, were it that there is none. */
    public void supported(List<String> words) {
        if (isGiven() && !words.contains(text())) {
            errors.notSupported(path, text(), words);
        }
    }

    /** One of these words. */
    public void neededOneOf(List<String> words) {
        if (needed()) {
            oneOf(words);
        }
    }

    public void notNegative() {
        if (isGiven() && number() < 0) {
            invalid("must be greater than or equal to 0");
        }
    }

    public void positive() {
        if (number() <= 0) {
            invalid(number(), "must be greater than 0");
        }
    }

    /** A list of so many elements at most. */
    public void atMost(int count) {
        if (value.size() > count) {
            errors.tooMany(path, value.size(), count);
        }
    }

    /** Where nothing is given, and something might have been. */
    public JsonNode valueOrNull() {
        return isGiven() ? value : NullNode.getInstance();
    }

    /** How long the text here is. */
    public int bytes() {
        return text().getBytes(StandardCharsets.UTF_8).length;
    }

    public void notLongerThan(int bytes) {
        if (bytes() > bytes) {
            errors.tooLong(path, bytes);
        }
    }

    public void between(long least, long most) {
        if (isGiven() && (number() < least || number() > most)) {
            invalid("must be between " + least + " and " + most + ", inclusive");
        }
    }

    public void port() {
        if (number() < 1 || number() > 65535) {
            invalid(number(), "must be between 1 and 65535, inclusive");
        }
    }

    /** A port's number or its name. */
    public void portOrName() {
        if (value.isTextual()) {
            portName();
        } else {
            port();
        }
    }

    public void portName() {
        String name = text();
        if (name.length() > LONGEST_PORT_NAME) {
            invalid("must be no more than " + LONGEST_PORT_NAME + " characters");
        }
        if (!PORT_NAME_CHARACTERS.matcher(name).matches()) {
            invalid("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (!LETTER.matcher(name).find()) {
            invalid("must contain at least one letter (a-z)");
        }
        if (name.contains("--")) {
            invalid("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            invalid("must not begin or end with a hyphen");
        }
    }

    public void label() {
        complain(Names.labelError(text()));
    }

    public void subdomain() {
        complain(Names.subdomainError(text()));
    }

    public void qualifiedName() {
        complain(Names.qualifiedNameError(text()));
    }

    public void labelValue() {
        complain(Names.labelValueError(text()));
    }

    /** A map whose keys and values are those of labels. */
    public void labels() {
        for (Spot label : entries()) {
            String name = label.path.substring(path.length() + 1, label.path.length() - 1);
            Names.qualifiedNameError(name).ifPresent(error -> invalid(name, error));
            Names.labelValueError(label.text()).ifPresent(error -> invalid(label.text(), error));
        }
    }

    /** A map whose keys are those of annotations, and which is not too much altogether. */
    public void annotations() {
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : value.properties()) {
            String name = annotation.getKey();
            Names.qualifiedNameError(name.toLowerCase(Locale.ROOT)).ifPresent(error -> invalid(name, error));
            size += name.length() + annotation.getValue().asText().length();
        }
        if (size > LARGEST_ANNOTATIONS) {
            errors.tooLong(path, LARGEST_ANNOTATIONS);
        }
    }

    public void address() {
        if (!isAddress(text())) {
            invalid(text(), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        }
    }

    /** An address in the one form that newer fields take. */
    public void plainAddress() {
        address();
        if (!isAddress(text())) {
            return;
        }
        Ip parsed = Ip.parse(text());
        String plain = parsed.toString();
        if (!parsed.v6() && text().contains(":")) {
            invalid("must not be an IPv4-mapped IPv6 address");
        } else if (!parsed.v6() && !plain.equals(text())) {
            invalid("must not have leading 0s");
        } else if (!plain.equals(text())) {
            invalid("must be in canonical form (\"" + plain + "\")");
        }
    }

    public static boolean isAddress(String text) {
        if (text.contains("%") || text.contains("[")) {
            return false;
        }
        try {
            return Ip.parse(text) != null;
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }

    /** A range of addresses. */
    public void range() {
        if (!isRange(text())) {
            invalid(text(), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
        }
    }

    public static boolean isRange(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !isAddress(text.substring(0, slash))) {
            return false;
        }
        int most = text.indexOf(':') >= 0 ? 128 : 32;
        String prefix = text.substring(slash + 1);
        return prefix.matches("[0-9]{1,3}") && Integer.parseInt(prefix) <= most;
    }

    /** A path on a host, which is the domain of whoever it is of. */
    public void domainPrefixedPath() {
        if (!needed()) {
            return;
        }
        String[] parts = text().split("/", 2);
        if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
            invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
            return;
        }
        Names.subdomainError(parts[0]).ifPresent(error -> invalid(parts[0], error));
        if (!HTTP_PATH.matcher(parts[1]).matches()) {
            invalid(parts[1], "Invalid path (regex used for validation is '" + HTTP_PATH.pattern() + "')");
        }
    }

    /** A path below another: relative, and not out of it again. */
    public void descendingPath() {
        if (text().startsWith("/")) {
            invalid("must be a relative path");
        }
        noBacksteps();
    }

    public void noBacksteps() {
        if (List.of(text().split("/")).contains("..")) {
            invalid("must not contain '..'");
        }
    }

    private void complain(Optional<String> error) {
        error.ifPresent(this::invalid);
    }
}
