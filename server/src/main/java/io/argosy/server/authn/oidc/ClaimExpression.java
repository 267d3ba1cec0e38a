package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import io.argosy.api.json.Fields;
import io.argosy.server.authn.InvalidTokenException;
import io.argosy.server.cel.Expressions;
import io.argosy.server.cel.Expressions.CompileException;
import io.argosy.server.cel.Expressions.EvaluationException;
import io.argosy.server.cel.Expressions.Expression;
import io.argosy.server.cel.JsonValues;
import java.util.Map;

/** A CEL expression over a token's claims, or over the user that they make. */
record ClaimExpression(String text, Expression compiled) {
    static ClaimExpression compile(String text, String variable, String path) {
        try {
            Expressions.Scope scope = new Expressions.Scope(
                    Map.of(variable, MapType.create(SimpleType.STRING, SimpleType.DYN)), Map.of());
            Fields.require(!text.isBlank(), path, "Required value: expression is required");
            return new ClaimExpression(text, scope.compile(text));
        } catch (CompileException wrong) {
            throw new IllegalArgumentException(path + ": " + wrong.getMessage(), wrong);
        }
    }

    JsonNode evaluate(String variable, JsonNode value) throws InvalidTokenException {
        try {
            return JsonValues.tree(compiled.evaluate(Map.of(variable, JsonValues.of(value)), Expressions.CALL_LIMIT)
                    .value());
        } catch (EvaluationException | IllegalArgumentException failed) {
            throw new InvalidTokenException("expression '" + text + "' resulted in error: " + failed.getMessage());
        }
    }
}
