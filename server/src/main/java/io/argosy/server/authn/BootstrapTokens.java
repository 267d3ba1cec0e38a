package io.argosy.server.authn;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.time.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tokens by which machines join: {@code id.secret}, kept as a Secret in kube-system. They prove a bootstrapper for as long as the Secret is
 * there, says so and has not expired.
 */
public final class BootstrapTokens implements BearerTokens {
    private static final Pattern TOKEN = Pattern.compile("([a-z0-9]{6})\\.([a-z0-9]{16})");
    private static final Pattern GROUP = Pattern.compile("system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]");
    private static final String TYPE = "bootstrap.kubernetes.io/token";
    private static final String GROUP_OF_ALL = "system:bootstrappers";

    private final ServiceAccountTokens.Objects objects;
    private final Clock clock;

    public BootstrapTokens(ServiceAccountTokens.Objects objects, Clock clock) {
        this.objects = objects;
        this.clock = clock;
    }

    @Override
    public boolean recognizes(String token) {
        return TOKEN.matcher(token).matches();
    }

    @Override
    public Verified verify(String token, Set<String> audiences) throws InvalidTokenException {
        Matcher parts = TOKEN.matcher(token);
        if (!parts.matches()) {
            throw new InvalidTokenException("the token is no bootstrap token");
        }
        String id = parts.group(1);
        JsonNode secret = objects.find("secrets", "kube-system", "bootstrap-token-" + id);
        if (secret == null
                || !secret.path("type").asText().equals(TYPE)
                || secret.path("metadata").hasNonNull("deletionTimestamp")) {
            throw new InvalidTokenException("there is no such bootstrap token");
        }
        check(secret, id, parts.group(2));
        List<String> groups = new ArrayList<>(List.of(GROUP_OF_ALL));
        groups.addAll(extraGroups(text(secret, "auth-extra-groups")));
        groups.add(User.AUTHENTICATED);
        return Verified.here(new User("system:bootstrap:" + id, groups), audiences);
    }

    private void check(JsonNode secret, String id, String given) throws InvalidTokenException {
        boolean same = MessageDigest.isEqual(
                text(secret, "token-secret").getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
        if (!same || !text(secret, "token-id").equals(id)) {
            throw new InvalidTokenException("there is no such bootstrap token");
        }
        String expiration = text(secret, "expiration");
        if (!expiration.isEmpty() && !clock.now().isBefore(end(expiration))) {
            throw new InvalidTokenException("the bootstrap token has expired");
        }
        if (!text(secret, "usage-bootstrap-authentication").equals("true")) {
            throw new InvalidTokenException("the bootstrap token is not for authentication");
        }
    }

    /** A time that cannot be read is over. */
    private static Instant end(String expiration) {
        try {
            return OffsetDateTime.parse(expiration).toInstant();
        } catch (DateTimeParseException unreadable) {
            return Instant.MIN;
        }
    }

    private static List<String> extraGroups(String list) throws InvalidTokenException {
        List<String> groups = new ArrayList<>();
        for (String group : list.split(",", -1)) {
            if (group.isBlank()) {
                continue;
            }
            if (!GROUP.matcher(group.strip()).matches()) {
                throw new InvalidTokenException("the bootstrap token names a group that bootstrappers may not be in");
            }
            groups.add(group.strip());
        }
        return groups;
    }

    private static String text(JsonNode secret, String key) {
        try {
            return new String(
                    Base64.getDecoder().decode(secret.path("data").path(key).asText("")), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException unreadable) {
            return "";
        }
    }
}
