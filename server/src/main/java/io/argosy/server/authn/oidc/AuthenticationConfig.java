package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Fields;
import io.argosy.api.json.Yaml;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The issuers of tokens that a file of the kind AuthenticationConfiguration names. What it says and we do not know is an error. */
public record AuthenticationConfig(List<Issuer> issuers) {
    private static final Set<String> VERSIONS =
            Set.of("apiserver.config.k8s.io/v1", "apiserver.config.k8s.io/v1beta1", "apiserver.config.k8s.io/v1alpha1");

    /**
     * An issuer whose tokens are believed.
     *
     * @param discovery where its discovery document stands
     * @param authority certificates, as PEM, to know it by; empty for those that the system trusts
     */
    public record Issuer(String url, URI discovery, String authority, Set<String> audiences, ClaimRules rules) {}

    /** Reads a file's text; an argument exception says what is wrong with it, and where. */
    public static AuthenticationConfig parse(String text) {
        JsonNode root;
        try {
            root = Yaml.decode(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException malformed) {
            throw new IllegalArgumentException("it is no YAML: " + malformed.getMessage(), malformed);
        }
        Fields.known(root, "", "apiVersion", "kind", "jwt");
        Fields.require(
                root.path("kind").asText().equals("AuthenticationConfiguration")
                        && VERSIONS.contains(root.path("apiVersion").asText()),
                "kind",
                "must be AuthenticationConfiguration of apiserver.config.k8s.io/v1");
        List<Issuer> issuers = new ArrayList<>();
        Set<String> urls = new HashSet<>();
        for (int i = 0; i < root.path("jwt").size(); i++) {
            Issuer issuer = issuer(root.path("jwt").get(i), "jwt[" + i + "]");
            Fields.require(urls.add(issuer.url()), "jwt[" + i + "].issuer.url", "Duplicate value: " + issuer.url());
            issuers.add(issuer);
        }
        return new AuthenticationConfig(List.copyOf(issuers));
    }

    private static Issuer issuer(JsonNode jwt, String path) {
        Fields.known(jwt, path, "issuer", "claimValidationRules", "claimMappings", "userValidationRules");
        JsonNode issuer = jwt.path("issuer");
        String at = path + ".issuer";
        Fields.known(issuer, at, "url", "discoveryURL", "certificateAuthority", "audiences", "audienceMatchPolicy");
        String url = Fields.text(issuer, "url");
        secure(url, at + ".url");
        String discovery = Fields.text(issuer, "discoveryURL");
        if (!discovery.isEmpty()) {
            secure(discovery, at + ".discoveryURL");
            Fields.require(!discovery.equals(url), at + ".discoveryURL", "must be different from URL");
        } else {
            discovery = url.replaceAll("/$", "") + "/.well-known/openid-configuration";
        }
        Set<String> audiences = new HashSet<>(Fields.texts(issuer.path("audiences")));
        Fields.require(
                !audiences.isEmpty(),
                at + ".audiences",
                "Required value: at least one " + at + ".audiences is required");
        String policy = Fields.text(issuer, "audienceMatchPolicy");
        Fields.require(
                policy.equals("MatchAny") || (policy.isEmpty() && audiences.size() == 1),
                at + ".audienceMatchPolicy",
                "must be MatchAny for multiple audiences");
        return new Issuer(
                url,
                URI.create(discovery),
                Fields.text(issuer, "certificateAuthority"),
                Set.copyOf(audiences),
                ClaimRules.parse(jwt, path));
    }

    /** Whoever reads along could be anybody: only over TLS, and nothing of secrets in the address. */
    private static void secure(String url, String path) {
        try {
            URI uri = URI.create(url);
            Fields.require(
                    "https".equals(uri.getScheme())
                            && uri.getHost() != null
                            && uri.getUserInfo() == null
                            && uri.getQuery() == null
                            && uri.getFragment() == null,
                    path,
                    "Invalid value: must be an https URL without user, query or fragment");
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    path + ": Invalid value: must be an https URL without user, query or fragment", malformed);
        }
    }
}
