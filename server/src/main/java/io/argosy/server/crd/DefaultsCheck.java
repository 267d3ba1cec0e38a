package io.argosy.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.Cause;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/** Whether the defaults of a schema are values that the schema itself accepts: nobody could create an object otherwise. */
final class DefaultsCheck {
    private final FieldErrors errors;

    DefaultsCheck(FieldErrors errors) {
        this.errors = errors;
    }

    private interface Check {
        void of(StructuralSchema schema, String path);
    }

    /** Their types and bounds; unknown fields are not taken out of them. */
    void values(StructuralSchema schema, String path) {
        each(schema, path, this::value);
    }

    /** The expressions that stand at them and below; for schemas whose expressions are right. */
    void rules(StructuralSchema schema, String path) {
        each(schema, path, this::rule);
    }

    private static void each(StructuralSchema schema, String path, Check check) {
        if (!schema.defaulting()) {
            return;
        }
        if (schema.defaultValue() != null) {
            check.of(schema, path);
        }
        schema.properties().forEach((name, below) -> each(below, path + ".properties[" + name + "]", check));
        if (schema.items() != null) {
            each(schema.items(), path + ".items", check);
        }
        if (schema.additional() != null && schema.additional() != StructuralSchema.anything()) {
            each(schema.additional(), path + ".additionalProperties", check);
        }
    }

    private void value(StructuralSchema schema, String path) {
        ObjectNode holder = holder(schema);
        StructuralSchema wrapped = wrapped(schema);
        if (!Fields.prune(holder, wrapped).isEmpty()) {
            errors.invalid(path + ".default", schema.defaultValue(), "must not have unknown fields");
            return;
        }
        Fields.applyDefaults(holder, wrapped);
        FieldErrors wrong = new FieldErrors();
        EmbeddedResources.validate(holder, wrapped, wrong);
        new ValueValidation(wrong).object(holder, null, wrapped);
        tell(wrong, path);
    }

    /** As a value that is new, and as one that stays. */
    private void rule(StructuralSchema schema, String path) {
        if (!schema.ruled()) {
            return;
        }
        ObjectNode holder = holder(schema);
        StructuralSchema wrapped = wrapped(schema);
        Fields.applyDefaults(holder, wrapped);
        Rules rules = Rules.of(wrapped);
        FieldErrors wrong = new FieldErrors();
        rules.validate(holder, holder, wrong);
        if (wrong.isEmpty()) {
            rules.validate(holder, null, wrong);
        }
        tell(wrong, path);
    }

    private static ObjectNode holder(StructuralSchema schema) {
        ObjectNode holder = Json.object();
        holder.set("default", schema.defaultValue().deepCopy());
        return holder;
    }

    private static StructuralSchema wrapped(StructuralSchema schema) {
        ObjectNode wrapper = Json.object().put("type", "object");
        wrapper.putObject("properties").set("default", schema.source());
        return StructuralSchema.of(wrapper);
    }

    private void tell(FieldErrors wrong, String path) {
        for (Cause cause : wrong.causes()) {
            errors.addAll(List.of(new Cause(cause.reason(), cause.message(), path + "." + cause.field())));
        }
    }
}
