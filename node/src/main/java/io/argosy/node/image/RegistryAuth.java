package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers a registry's demand for a password or token, and remembers the answer for the requests that follow. */
final class RegistryAuth {
    private static final Pattern PARAMETER = Pattern.compile("([a-zA-Z_]+)=(?:\"([^\"]*)\"|([^\",\\s]+))");

    private final URI registry;
    private final Credentials credentials;
    private final BiFunction<URI, Optional<String>, byte[]> fetchToken;
    private final Map<String, String> answers = new ConcurrentHashMap<>();

    /** The function fetches a token from an address, with an Authorization header or without. */
    RegistryAuth(URI registry, Credentials credentials, BiFunction<URI, Optional<String>, byte[]> fetchToken) {
        this.registry = registry;
        this.credentials = credentials;
        this.fetchToken = fetchToken;
    }

    /** The Authorization header to send for a scope, as far as one is known. */
    Optional<String> header(String scope) {
        return Optional.ofNullable(answers.get(scope));
    }

    /** Works out an answer to the challenges of a 401; false if there is none. */
    boolean answer(List<String> challenges, String scope) {
        String before = answers.get(scope);
        for (String challenge : challenges) {
            String kind = challenge.strip().split("\\s+", 2)[0].toLowerCase(Locale.ROOT);
            if (kind.equals("bearer")) {
                String token = token(parameters(challenge), scope);
                answers.put(scope, "Bearer " + token);
                return true;
            }
            if (kind.equals("basic") && !credentials.isNone()) {
                answers.put(scope, basic());
                return !basic().equals(before);
            }
        }
        return false;
    }

    private String token(Map<String, String> challenge, String scope) {
        String realm = challenge.getOrDefault("realm", "");
        URI address;
        try {
            address = URI.create(realm);
        } catch (IllegalArgumentException e) {
            throw refused("names the token service \"" + realm + "\", which is no address");
        }
        boolean encrypted = "https".equals(address.getScheme());
        if (!encrypted && !("http".equals(address.getScheme()) && "http".equals(registry.getScheme()))) {
            throw refused("names the token service \"" + realm + "\", which is not HTTPS");
        }
        StringBuilder query = new StringBuilder(realm).append(realm.indexOf('?') < 0 ? '?' : '&');
        if (challenge.containsKey("service")) {
            query.append("service=").append(encode(challenge.get("service"))).append('&');
        }
        query.append("scope=").append(encode(challenge.getOrDefault("scope", scope)));
        Optional<String> login = credentials.isNone() ? Optional.empty() : Optional.of(basic());
        JsonNode answer = Manifests.tree(fetchToken.apply(URI.create(query.toString()), login));
        String token = answer.path("token").asText(answer.path("access_token").asText(""));
        if (token.isEmpty()) {
            throw refused("got no token from " + realm);
        }
        return token;
    }

    private static Map<String, String> parameters(String challenge) {
        Map<String, String> parameters = new HashMap<>();
        Matcher matcher = PARAMETER.matcher(challenge);
        while (matcher.find()) {
            String value = matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
            parameters.put(matcher.group(1).toLowerCase(Locale.ROOT), value);
        }
        return parameters;
    }

    private String basic() {
        byte[] pair = (credentials.username() + ":" + credentials.password()).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private ImageException refused(String why) {
        return new ImageException(ImageException.Kind.UNAUTHORIZED, registry + ": authorization failed: " + why);
    }
}
