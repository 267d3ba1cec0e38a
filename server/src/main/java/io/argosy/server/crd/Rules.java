package io.argosy.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;

/** The expressions of a schema that objects must satisfy. */
interface Rules {
    Rules NONE = (object, before, errors) -> {};

    void validate(ObjectNode object, ObjectNode before, FieldErrors errors);

    /** What evaluates expressions is loaded for schemas only that have some. */
    static Rules of(StructuralSchema schema) {
        return schema.ruled() ? new CelRules(schema) : NONE;
    }

    /** Whether the expressions themselves are right. */
    static void check(StructuralSchema schema, String path, FieldErrors errors) {
        if (schema.ruled()) {
            CelRules.check(schema, path, errors);
        }
    }
}
