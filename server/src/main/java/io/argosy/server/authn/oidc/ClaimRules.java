package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Fields;
import io.argosy.api.json.Json;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.authn.User;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a token must say, and whom it makes of what it says.
 *
 * @param required claims that must have a value
 * @param checks on the claims
 * @param extra expressions for what else is known of the user, by key
 * @param userChecks on the user that comes out
 */
record ClaimRules(
        Map<String, String> required,
        List<Check> checks,
        Source username,
        Source groups,
        Source uid,
        Map<String, ClaimExpression> extra,
        List<Check> userChecks) {
    /** An expression that must hold. */
    record Check(ClaimExpression expression, String message) {
        void apply(String variable, JsonNode value) throws InvalidTokenException {
            if (!expression.evaluate(variable, value).equals(Json.NODES.booleanNode(true))) {
                throw new InvalidTokenException(
                        message.isEmpty() ? "validation expression '" + expression.text() + "' failed" : message);
            }
        }
    }

    /** A claim with a prefix, or an expression over all claims; empty of both where nothing is said. */
    record Source(String claim, String prefix, ClaimExpression expression) {
        static final Source NONE = new Source("", "", null);

        JsonNode of(JsonNode claims) throws InvalidTokenException {
            if (expression != null) {
                return expression.evaluate("claims", claims);
            }
            return claims.path(claim);
        }
    }

    static ClaimRules parse(JsonNode jwt, String path) {
        JsonNode mappings = jwt.path("claimMappings");
        String at = path + ".claimMappings";
        Fields.known(mappings, at, "username", "groups", "uid", "extra");
        Map<String, String> required = new LinkedHashMap<>();
        List<Check> checks = new ArrayList<>();
        int number = 0;
        for (JsonNode rule : jwt.path("claimValidationRules")) {
            String where = path + ".claimValidationRules[" + number++ + "]";
            Fields.known(rule, where, "claim", "requiredValue", "expression", "message");
            boolean byClaim = rule.hasNonNull("claim");
            Fields.require(
                    byClaim != rule.hasNonNull("expression"),
                    where,
                    "either claim or expression is required, not both");
            if (byClaim) {
                required.put(Fields.text(rule, "claim"), Fields.text(rule, "requiredValue"));
            } else {
                checks.add(check(rule, "claims", where));
            }
        }
        Source username = source(mappings.path("username"), at + ".username", true);
        Fields.require(username != Source.NONE, at + ".username", "Required value: claim or expression is required");
        ClaimRules rules = new ClaimRules(
                required,
                checks,
                username,
                source(mappings.path("groups"), at + ".groups", true),
                source(mappings.path("uid"), at + ".uid", false),
                extra(mappings.path("extra"), at),
                userChecks(jwt, path));
        rules.checkEmail(at);
        return rules;
    }

    /** An address that nobody has verified is a name that anybody can take. */
    private void checkEmail(String at) {
        ClaimExpression name = username.expression();
        if (name != null && name.text().contains("claims.email") && !name.text().contains("claims.email_verified")) {
            boolean checked =
                    checks.stream().anyMatch(check -> check.expression().text().contains("claims.email_verified"));
            Fields.require(
                    checked,
                    at + ".username.expression",
                    "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*]."
                            + "valueExpression or claimValidationRules[*].expression when claims.email is used in"
                            + " claimMappings.username.expression");
        }
    }

    private static Check check(JsonNode rule, String variable, String where) {
        return new Check(
                ClaimExpression.compile(Fields.text(rule, "expression"), variable, where + ".expression"),
                Fields.text(rule, "message"));
    }

    private static List<Check> userChecks(JsonNode jwt, String path) {
        List<Check> checks = new ArrayList<>();
        int number = 0;
        for (JsonNode rule : jwt.path("userValidationRules")) {
            String where = path + ".userValidationRules[" + number++ + "]";
            Fields.known(rule, where, "expression", "message");
            checks.add(check(rule, "user", where));
        }
        return checks;
    }

    private static Map<String, ClaimExpression> extra(JsonNode list, String at) {
        Map<String, ClaimExpression> extra = new LinkedHashMap<>();
        int number = 0;
        for (JsonNode one : list) {
            String where = at + ".extra[" + number++ + "]";
            Fields.known(one, where, "key", "valueExpression");
            String key = Fields.text(one, "key");
            Fields.require(
                    key.indexOf('/') > 0 && key.equals(key.toLowerCase(Locale.ROOT)),
                    where + ".key",
                    "must be a lowercase domain-prefixed path (such as example.org/foo)");
            String domain = key.substring(0, key.indexOf('/'));
            Fields.require(
                    !("." + domain).endsWith(".kubernetes.io") && !("." + domain).endsWith(".k8s.io"),
                    where + ".key",
                    "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use");
            ClaimExpression before = extra.put(
                    key,
                    ClaimExpression.compile(Fields.text(one, "valueExpression"), "claims", where + ".valueExpression"));
            Fields.require(before == null, where + ".key", "Duplicate value: " + key);
        }
        return extra;
    }

    private static Source source(JsonNode node, String at, boolean prefixed) {
        if (node.isMissingNode() || node.isEmpty()) {
            return Source.NONE;
        }
        Fields.known(
                node,
                at,
                prefixed ? new String[] {"claim", "prefix", "expression"} : new String[] {"claim", "expression"});
        boolean byClaim = !Fields.text(node, "claim").isEmpty();
        Fields.require(
                byClaim == Fields.text(node, "expression").isEmpty(),
                at,
                "either claim or expression is required, not both");
        if (!byClaim) {
            Fields.require(!node.hasNonNull("prefix"), at, "prefix can't be set when expression is set");
            return new Source(
                    "", "", ClaimExpression.compile(Fields.text(node, "expression"), "claims", at + ".expression"));
        }
        Fields.require(
                !prefixed || node.hasNonNull("prefix"),
                at + ".prefix",
                "Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing");
        return new Source(Fields.text(node, "claim"), Fields.text(node, "prefix"), null);
    }

    /** Whom claims that were verified make. */
    User user(JsonNode claims) throws InvalidTokenException {
        for (Map.Entry<String, String> one : required.entrySet()) {
            JsonNode found = claims.path(one.getKey());
            if (!found.isTextual() || !found.asText().equals(one.getValue())) {
                throw new InvalidTokenException("required claim " + one.getKey() + " is not as it must be");
            }
        }
        for (Check check : checks) {
            check.apply("claims", claims);
        }
        List<String> inGroups = prefixed(groups, claims);
        Map<String, List<String>> more = new LinkedHashMap<>();
        for (Map.Entry<String, ClaimExpression> one : extra.entrySet()) {
            List<String> values = strings(one.getValue().evaluate("claims", claims), one.getKey());
            if (!values.isEmpty()) {
                more.put(one.getKey(), values);
            }
        }
        String id = uid == Source.NONE ? "" : single(uid.of(claims), "uid");
        User user = new User(name(claims), inGroups, id, more);
        ObjectNode tree = tree(user);
        for (Check check : userChecks) {
            check.apply("user", tree);
        }
        List<String> all = new ArrayList<>(inGroups);
        all.add(User.AUTHENTICATED);
        return new User(user.name(), all, id, more);
    }

    private String name(JsonNode claims) throws InvalidTokenException {
        if (username.claim().equals("email")
                && claims.has("email_verified")
                && !claims.path("email_verified").asBoolean()) {
            throw new InvalidTokenException("email not verified");
        }
        String name = single(username.of(claims), "username");
        if (name.isEmpty()) {
            throw new InvalidTokenException("the token names no user");
        }
        return username.prefix() + name;
    }

    private static List<String> prefixed(Source source, JsonNode claims) throws InvalidTokenException {
        if (source == Source.NONE) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        for (String text : strings(source.of(claims), "groups")) {
            texts.add(source.prefix() + text);
        }
        return texts;
    }

    private static String single(JsonNode value, String what) throws InvalidTokenException {
        if (!value.isTextual()) {
            throw new InvalidTokenException("the token's " + what + " is no text");
        }
        return value.asText();
    }

    /** One text, a list of them, or none. */
    private static List<String> strings(JsonNode value, String what) throws InvalidTokenException {
        List<String> texts = new ArrayList<>();
        if (value.isTextual()) {
            texts.add(value.asText());
        } else if (value.isArray()) {
            for (JsonNode one : value) {
                texts.add(single(one, what));
            }
        } else if (!value.isMissingNode() && !value.isNull()) {
            throw new InvalidTokenException("the token's " + what + " is no list of texts");
        }
        texts.removeIf(String::isEmpty);
        return texts;
    }

    private static ObjectNode tree(User user) {
        ObjectNode tree = Json.object().put("username", user.name()).put("uid", user.uid());
        user.groups().forEach(tree.putArray("groups")::add);
        ObjectNode extra = tree.putObject("extra");
        user.extra().forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        return tree;
    }
}
