package io.argosy.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.Expressions.Scope;
import io.argosy.server.dynamic.Scopes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What the expressions of a policy may speak of: the write, its parameters, and the policy's own variables, each of which sees those before it. */
public final class PolicyScopes {
    private static final String VARIABLES = "kubernetes.variables";

    /** Most policies have no variables of their own, and share what their expressions are compiled with. */
    private static final Map<Names, Scope> COMMON = new ConcurrentHashMap<>();

    /** Which names there are beside those that there always are. */
    private record Names(boolean params, boolean authorizer, boolean variables) {}

    private final JsonNode spec;
    private final Map<String, CelType> objects;
    private final Map<String, CelType> structs;
    private final Map<String, CelType> types = new LinkedHashMap<>();
    private final Map<String, Expression> variables = new LinkedHashMap<>();
    private final Map<String, String> errors = new LinkedHashMap<>();
    private Scope whole;
    private Scope ofMessages;

    PolicyScopes(JsonNode spec) {
        this(spec, Map.of(), Map.of());
    }

    /** With more known of some variables than that they are something. */
    PolicyScopes(JsonNode spec, Map<String, CelType> objects, Map<String, CelType> structs) {
        this.spec = spec;
        this.objects = objects;
        this.structs = structs;
    }

    /** Compiles the variables; what is wrong with one is known afterwards under its name. */
    PolicyScopes compile() {
        for (JsonNode variable : spec.path("variables")) {
            String name = variable.path("name").asText();
            try {
                Expression compiled =
                        scope(true).compile(variable.path("expression").asText());
                variables.put(name, compiled);
                types.put(name, compiled.resultType());
            } catch (CompileException wrong) {
                errors.put(name, wrong.getMessage());
                types.put(name, SimpleType.DYN);
            }
            whole = null;
            ofMessages = null;
        }
        return this;
    }

    Map<String, Expression> variables() {
        return variables;
    }

    Map<String, String> errors() {
        return errors;
    }

    /** For everything but match conditions. */
    Scope whole() {
        if (whole == null) {
            whole = scope(true);
        }
        return whole;
    }

    /** For messages, which are not to depend on what somebody may do. */
    Scope ofMessages() {
        if (ofMessages == null) {
            ofMessages = scope(new Names(hasParams(), false, true));
        }
        return ofMessages;
    }

    /** For match conditions, which come before the variables. */
    Scope ofConditions() {
        return scope(false);
    }

    private Scope scope(boolean withVariables) {
        return scope(new Names(hasParams(), true, withVariables));
    }

    private Scope scope(Names names) {
        return types.isEmpty() && objects.isEmpty() ? COMMON.computeIfAbsent(names, this::make) : make(names);
    }

    private boolean hasParams() {
        return spec.path("paramKind").isObject();
    }

    private Scope make(Names which) {
        Map<String, CelType> names = Scopes.variables();
        if (!which.authorizer()) {
            names.keySet().removeIf(name -> name.startsWith("authorizer"));
        }
        names.put("namespaceObject", SimpleType.DYN);
        if (which.params()) {
            names.put("params", SimpleType.DYN);
        }
        if (which.variables()) {
            names.put("variables", struct());
        }
        names.putAll(objects);
        Map<String, CelType> all = new HashMap<>(structs);
        all.put(VARIABLES, struct());
        return new Scope(names, all);
    }

    private StructType struct() {
        ImmutableMap<String, CelType> known = ImmutableMap.copyOf(types);
        return StructType.create(VARIABLES, known.keySet(), name -> Optional.ofNullable(known.get(name)));
    }
}
