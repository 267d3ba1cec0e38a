package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Questions about identity and permission: answered at once, never stored. */
final class Reviews {
    private static final Set<String> ANSWERED = Set.of(
            "selfsubjectaccessreviews", "subjectaccessreviews", "localsubjectaccessreviews", "selfsubjectreviews");

    private final Authorizer authorizer;

    Reviews(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    static boolean isReview(ResourceType type) {
        return ANSWERED.contains(type.plural()) && type.group().startsWith("auth");
    }

    Answer handle(ResourceRequest request) {
        List<String> warnings = new ArrayList<>();
        ObjectNode review = Bodies.object(request, request.type().groupVersionKind(), warnings::add);
        if (request.type().plural().equals("selfsubjectreviews")) {
            userInfo(review.putObject("status").putObject("userInfo"), request.user());
        } else {
            boolean allowed = authorizer.allows(action(request, review.path("spec")));
            review.putObject("status").put("allowed", allowed);
        }
        return new Answer(201, Json.encode(review), 0, warnings);
    }

    private static Action action(ResourceRequest request, JsonNode spec) {
        User user = request.type().plural().startsWith("self") ? request.user() : subject(spec);
        if (spec.has("nonResourceAttributes")) {
            JsonNode asked = spec.get("nonResourceAttributes");
            return Action.onPath(
                    user, asked.path("verb").asText(), asked.path("path").asText());
        }
        JsonNode asked = spec.path("resourceAttributes");
        return new Action(
                user,
                asked.path("verb").asText(),
                asked.path("group").asText(),
                asked.path("version").asText(),
                asked.path("resource").asText(),
                asked.path("subresource").asText(),
                asked.path("namespace").asText(),
                asked.path("name").asText(),
                "");
    }

    private static User subject(JsonNode spec) {
        List<String> groups = new ArrayList<>();
        spec.path("groups").forEach(group -> groups.add(group.asText()));
        return new User(spec.path("user").asText(), groups);
    }

    private static void userInfo(ObjectNode info, User user) {
        info.put("username", user.name());
        ArrayNode groups = info.putArray("groups");
        user.groups().forEach(groups::add);
    }
}
