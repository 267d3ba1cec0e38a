package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.ApiObject;
import io.argosy.api.GroupResource;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Nobody lets a policy read for them what they may not read: its verdicts would tell. Who writes one must be allowed to get all objects that could
 * set it, who binds one those that the binding names.
 */
public final class ParamReaders implements Admission {
    private static final String GROUP = "admissionregistration.k8s.io";

    private final Supplier<Registry> registry;
    private final Authorizer authorizer;

    public ParamReaders(Supplier<Registry> registry, Authorizer authorizer) {
        this.registry = registry;
        this.authorizer = authorizer;
    }

    /** Where the objects are that somebody must be allowed to read; stars where that cannot be known. */
    private record Place(String group, String version, String resource) {}

    @Override
    public void validate(Review review) {
        GroupResource resource = review.type().groupResource();
        if (!resource.group().equals(GROUP)
                || review.object() == null
                || !review.subresource().isEmpty()
                || review.options().user().groups().contains(User.MASTERS)) {
            return;
        }
        JsonNode now = review.object().path("spec");
        JsonNode before = review.before() == null
                ? MissingNode.getInstance()
                : review.before().path("spec");
        if (resource.resource().endsWith("admissionpolicies")) {
            policy(review, now.path("paramKind"), before.path("paramKind"));
        } else if (resource.resource().endsWith("admissionpolicybindings")
                && !(now.path("paramRef").equals(before.path("paramRef"))
                        && now.path("policyName").equals(before.path("policyName")))) {
            binding(review, now);
        }
    }

    private void policy(Review review, JsonNode kind, JsonNode before) {
        if (!kind.isObject() || kind.equals(before)) {
            return;
        }
        String name = kind.path("kind").asText();
        String version = kind.path("apiVersion").asText();
        if (name.isEmpty() || version.isEmpty()) {
            return; // said elsewhere
        }
        if (!may(review, "get", place(kind), "*", "*")) {
            refuse(
                    review,
                    "spec.paramKind",
                    "user " + review.options().user().name()
                            + " must have \"get\" permission on all objects of the referenced paramKind (kind=" + name
                            + ", apiVersion=" + version + ")");
        }
    }

    private void binding(Review review, JsonNode spec) {
        JsonNode reference = spec.path("paramRef");
        String policyName = spec.path("policyName").asText();
        if (!reference.isObject() || policyName.isEmpty()) {
            return;
        }
        String verb = reference.path("name").asText().isEmpty() ? "list" : "get";
        String policies = review.type().plural().replace("bindings", "").replaceFirst("policy$", "policies");
        CachedObject found = registry.get().store(GROUP, policies).find("", policyName);
        JsonNode kind = found == null
                ? MissingNode.getInstance()
                : ApiObject.ofJson(found.json()).tree().path("spec").path("paramKind");
        Place place = place(kind);
        if (may(
                review,
                verb,
                place,
                reference.path("namespace").asText(),
                reference.path("name").asText())) {
            return;
        }
        String user = "user " + review.options().user().name() + " does not have \"" + verb + "\" permission ";
        boolean unresolved = kind.isObject() && place.resource().equals("*");
        String unknown =
                " to determine minimum required permissions and " + user + "for all groups, versions and resources";
        refuse(
                review,
                "spec.paramRef",
                found == null
                        ? "unable to get policy " + policyName + unknown
                        : unresolved
                                ? "unable to resolve paramKind " + kind + unknown
                                : user + "on the object referenced by paramRef");
    }

    private Place place(JsonNode paramKind) {
        if (!paramKind.isObject()) {
            return new Place("*", "*", "*");
        }
        GroupVersionKind kind = GroupVersionKind.of(
                paramKind.path("apiVersion").asText(), paramKind.path("kind").asText());
        Optional<ResourceType> type = registry.get().types().find(kind);
        return new Place(
                kind.group(), kind.version(), type.map(ResourceType::plural).orElse("*"));
    }

    private boolean may(Review review, String verb, Place place, String namespace, String name) {
        return authorizer.allows(new Authorizer.Action(
                review.options().user(),
                verb,
                place.group(),
                place.version(),
                place.resource(),
                "",
                namespace,
                name,
                ""));
    }

    private static void refuse(Review review, String field, String why) {
        FieldErrors errors = new FieldErrors();
        errors.forbidden(field, why);
        ObjectNode object = review.object();
        throw ApiException.invalid(
                GROUP,
                review.type().kind(),
                object.path("metadata").path("name").asText(),
                errors.causes());
    }
}
