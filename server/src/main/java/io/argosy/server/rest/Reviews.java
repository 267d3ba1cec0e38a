package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.audit.Audit;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.authz.Authorizer.Decision;
import io.argosy.server.authz.PolicyRule;
import io.argosy.server.rules.AccessReviewRules;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Questions about identity and permission: answered at once, never stored. */
final class Reviews {
    private static final Set<String> ANSWERED = Set.of(
            "selfsubjectaccessreviews",
            "subjectaccessreviews",
            "localsubjectaccessreviews",
            "selfsubjectreviews",
            "selfsubjectrulesreviews",
            "tokenreviews");

    private final Authorizer authorizer;
    private final BearerTokens tokens;

    Reviews(Authorizer authorizer, BearerTokens tokens) {
        this.authorizer = authorizer;
        this.tokens = tokens;
    }

    static boolean isReview(ResourceType type) {
        return ANSWERED.contains(type.plural()) && type.group().startsWith("auth");
    }

    Answer handle(ResourceRequest request) {
        List<String> warnings = new ArrayList<>();
        ObjectNode review = Bodies.object(request, request.type().groupVersionKind(), warnings::add);
        JsonNode spec = review.path("spec");
        ObjectNode status = review.putObject("status");
        switch (request.type().plural()) {
            case "selfsubjectreviews" -> userInfo(status.putObject("userInfo"), request.user());
            case "tokenreviews" -> token(spec, status);
            case "selfsubjectrulesreviews" -> rules(request.user(), spec, status);
            default -> {
                check(request, review);
                access(request, spec, status);
            }
        }
        return new Answer(201, Json.encode(review), 0, warnings);
    }

    private static void check(ResourceRequest request, ObjectNode review) {
        FieldErrors errors = new FieldErrors();
        Spot question = new Spot(review, "", errors);
        switch (request.type().plural()) {
            case "selfsubjectaccessreviews" -> AccessReviewRules.ofSelf(question);
            case "localsubjectaccessreviews" -> AccessReviewRules.inNamespace(question, request.namespace());
            default -> AccessReviewRules.ofAnybody(question);
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid(request.type().group(), request.type().kind(), "", errors.causes());
        }
    }

    private void access(ResourceRequest request, JsonNode spec, ObjectNode status) {
        Decision decision = authorizer.decide(action(request, spec));
        status.put("allowed", decision.allowed());
        if (!decision.reason().isEmpty()) {
            status.put("reason", decision.reason());
        }
    }

    private void rules(User user, JsonNode spec, ObjectNode status) {
        String namespace = spec.path("namespace").asText("");
        if (namespace.isEmpty()) {
            throw ApiException.badRequest("no namespace on request");
        }
        ArrayNode onResources = status.putArray("resourceRules");
        ArrayNode onPaths = status.putArray("nonResourceRules");
        for (PolicyRule rule : authorizer.rules(user, namespace)) {
            (rule.nonResourceUrls().isEmpty() ? onResources : onPaths).add(rule.json());
        }
        Optional<String> more = authorizer.beyondRules(user);
        status.put("incomplete", more.isPresent());
        more.ifPresent(why -> status.put("evaluationError", why));
    }

    private static Action action(ResourceRequest request, JsonNode spec) {
        return request.type().plural().startsWith("self")
                ? AskedAction.of(request.user(), spec)
                : AskedAction.ofDescribed(spec);
    }

    private void token(JsonNode spec, ObjectNode status) {
        String token = spec.path("token").asText("");
        if (token.isEmpty()) {
            throw ApiException.badRequest("token is required for TokenReview in authentication");
        }
        Set<String> audiences = new HashSet<>();
        spec.path("audiences").forEach(audience -> audiences.add(audience.asText()));
        if (audiences.isEmpty()) {
            audiences.add(ServiceAccountTokens.ISSUER);
        }
        try {
            BearerTokens.Verified verified = verified(token, audiences);
            status.put("authenticated", true);
            userInfo(status.putObject("user"), verified.user());
            verified.audiences().forEach(status.putArray("audiences")::add);
        } catch (InvalidTokenException refused) {
            status.put("authenticated", false).putObject("user");
            status.put("error", "[invalid bearer token, " + refused.getMessage() + "]");
        }
    }

    private BearerTokens.Verified verified(String token, Set<String> audiences) throws InvalidTokenException {
        try {
            return tokens.verify(token, audiences);
        } finally {
            Audit.annotations().putAll(tokens.notes(token));
        }
    }

    private static void userInfo(ObjectNode info, User user) {
        info.put("username", user.name());
        if (!user.uid().isEmpty()) {
            info.put("uid", user.uid());
        }
        user.groups().forEach(info.putArray("groups")::add);
        if (!user.extra().isEmpty()) {
            ObjectNode extra = info.putObject("extra");
            new TreeMap<>(user.extra()).forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        }
    }
}
