package io.argosy.server.dynamic;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.server.authn.User;
import io.argosy.server.dynamic.Subject.Version;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.Admission.Review;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.WriteOptions;
import java.util.TreeMap;

/** A request as an {@code AdmissionRequest} tells of it, without its objects and its uid. */
public final class RequestView {
    private static final String META = "meta.k8s.io/v1";

    private RequestView() {}

    public static ObjectNode of(Subject subject, Version version) {
        Review review = subject.review();
        ObjectNode request = Json.object();
        request.set("kind", kind(version.kind()));
        request.set("resource", resource(version.type()));
        putUnlessEmpty(request, "subResource", review.subresource());
        request.set("requestKind", kind(subject.in(subject.used()).kind()));
        request.set("requestResource", resource(subject.used()));
        putUnlessEmpty(request, "requestSubResource", review.subresource());
        putUnlessEmpty(request, "name", review.name());
        putUnlessEmpty(request, "namespace", subject.namespace());
        request.put("operation", subject.operation());
        request.set("userInfo", user(review.options().user()));
        request.put("dryRun", review.options().dryRun());
        if (review.operation() != Operation.CONNECT) {
            request.set("options", review.delete() == null ? options(review) : options(review.delete()));
        }
        return request;
    }

    private static ObjectNode kind(GroupVersionKind kind) {
        return Json.object()
                .put("group", kind.group())
                .put("version", kind.version())
                .put("kind", kind.kind());
    }

    private static ObjectNode resource(ResourceType type) {
        return Json.object()
                .put("group", type.group())
                .put("version", type.version())
                .put("resource", type.plural());
    }

    private static ObjectNode user(User user) {
        ObjectNode info = Json.object();
        putUnlessEmpty(info, "username", user.name());
        putUnlessEmpty(info, "uid", user.uid());
        if (!user.groups().isEmpty()) {
            user.groups().forEach(info.putArray("groups")::add);
        }
        if (!user.extra().isEmpty()) {
            ObjectNode extra = info.putObject("extra");
            new TreeMap<>(user.extra()).forEach((key, values) -> values.forEach(extra.putArray(key)::add));
        }
        return info;
    }

    private static ObjectNode options(Review review) {
        WriteOptions options = review.options();
        String kind = review.operation() == Operation.CREATE ? "CreateOptions" : "UpdateOptions";
        ObjectNode view = Json.object().put("kind", kind).put("apiVersion", META);
        if (options.dryRun()) {
            view.putArray("dryRun").add("All");
        }
        putUnlessEmpty(view, "fieldManager", options.writer().manager());
        return view;
    }

    private static ObjectNode options(DeleteOptions delete) {
        ObjectNode view = Json.object().put("kind", "DeleteOptions").put("apiVersion", META);
        if (delete.gracePeriodSeconds() != null) {
            view.put("gracePeriodSeconds", delete.gracePeriodSeconds());
        }
        if (delete.propagationPolicy() != null) {
            view.put("propagationPolicy", delete.propagationPolicy());
        }
        if (delete.uid() != null) {
            view.withObject("/preconditions").put("uid", delete.uid());
        }
        if (delete.resourceVersion() != null) {
            view.withObject("/preconditions").put("resourceVersion", delete.resourceVersion());
        }
        if (delete.dryRun()) {
            view.putArray("dryRun").add("All");
        }
        return view;
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }
}
