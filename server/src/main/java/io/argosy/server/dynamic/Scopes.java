package io.argosy.server.dynamic;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.cel.Access;
import io.argosy.server.cel.Expressions.Scope;
import io.argosy.server.cel.JsonValues;
import io.argosy.server.dynamic.Subject.Version;
import java.util.HashMap;
import java.util.Map;

/** The variables that expressions on writes may use. */
public final class Scopes {
    private static final String REQUEST_RESOURCE = "authorizer.requestResource";

    private Scopes() {}

    /** Made when the first expression is compiled, and not before. */
    private static final class Webhooks {
        static final Scope SCOPE = new Scope(variables(), Map.of());
    }

    /** For the conditions of webhooks. */
    public static Scope ofWebhooks() {
        return Webhooks.SCOPE;
    }

    public static Map<String, CelType> variables() {
        Map<String, CelType> variables = new HashMap<>();
        variables.put("object", SimpleType.DYN);
        variables.put("oldObject", SimpleType.DYN);
        variables.put("request", SimpleType.DYN);
        variables.put("authorizer", Access.TYPE);
        variables.put(REQUEST_RESOURCE, Access.RESOURCE_TYPE);
        return variables;
    }

    public static Map<String, Object> values(Subject subject, Version version, Authorizer authorizer) {
        Map<String, Object> values = new HashMap<>();
        values.put("object", JsonValues.of(version.object()));
        values.put("oldObject", JsonValues.of(version.before()));
        values.put("request", JsonValues.of(RequestView.of(subject, version)));
        Access access = new Access(authorizer, subject.review().options().user());
        values.put("authorizer", access);
        values.put(
                REQUEST_RESOURCE,
                access.resource(
                        subject.used().group(),
                        subject.used().plural(),
                        subject.review().subresource(),
                        subject.namespace(),
                        subject.review().name()));
        return values;
    }
}
