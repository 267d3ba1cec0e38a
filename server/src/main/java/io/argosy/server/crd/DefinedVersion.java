package io.argosy.server.crd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.apply.Shape;
import io.argosy.api.kinds.CustomContent;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.table.TableDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** One version of a custom resource: its schema and all that follows from it. What costs much is made when first asked for. */
public final class DefinedVersion implements CustomContent {
    /** Objects with such faults are not shown to expressions, which would stumble over them or cost too much. */
    private static final Set<String> BLOCKING = Set.of(
            "FieldValueNotSupported",
            "FieldValueRequired",
            "FieldValueTooLong",
            "FieldValueTooMany",
            "FieldValueTypeInvalid");

    private static final String NOT_CHECKED =
            "some validation rules were not checked because the object was invalid; correct the existing errors to"
                    + " complete validation";

    private final GroupVersionKind kind;
    private final String listKind;
    private final JsonNode version;
    private final Supplier<JsonNode> schema;
    private final boolean preserving;
    private final String fingerprint;
    private final VersionConversion conversion;

    /** Two threads that ask at once make the same. */
    private volatile Compiled compiled;

    private volatile TableDefinition table;

    /** What is made of the schema; immutable. */
    private record Compiled(StructuralSchema schema, Shape shape, Rules rules) {}

    DefinedVersion(
            GroupVersionKind kind,
            String listKind,
            JsonNode version,
            Supplier<JsonNode> schema,
            boolean preserving,
            String fingerprint,
            VersionConversion conversion) {
        this.kind = kind;
        this.listKind = listKind;
        this.version = version;
        this.schema = schema;
        this.preserving = preserving;
        this.fingerprint = fingerprint;
        this.conversion = conversion;
    }

    private Compiled compiled() {
        Compiled known = compiled;
        if (known == null) {
            JsonNode source = schema.get();
            StructuralSchema root = source.isObject() ? StructuralSchema.of(source) : StructuralSchema.anything();
            Shape shape = source.isObject() && !preserving ? root.rootShape() : Shape.DEDUCED;
            known = new Compiled(root, shape, Rules.of(root));
            compiled = known;
        }
        return known;
    }

    public GroupVersionKind kind() {
        return kind;
    }

    @Override
    public String listKind() {
        return listKind;
    }

    /** The schema as its author wrote it; missing where there is none. */
    public JsonNode schema() {
        return compiled().schema().source();
    }

    /** True where everything is kept, as in the definitions of old that have no schema or one that is only a filter. */
    public boolean preserving() {
        return preserving;
    }

    @Override
    public List<String> clean(ObjectNode object) throws SchemaCheck.MismatchException {
        StructuralSchema root = compiled().schema();
        List<String> unknown = new ArrayList<>(Fields.cleanMetadata(object, root));
        if (!preserving) {
            unknown.addAll(Fields.prune(object, root));
        }
        return unknown;
    }

    @Override
    public void convert(List<ObjectNode> objects, String apiVersion) {
        conversion.convert(objects, apiVersion);
    }

    @Override
    public boolean isConvertedByOthers() {
        return conversion.asksOthers();
    }

    @Override
    public void settle(ObjectNode object) {
        if (!preserving) {
            Fields.prune(object, compiled().schema());
        }
        applyDefaults(object);
    }

    void applyDefaults(ObjectNode object) {
        Fields.applyDefaults(object, compiled().schema());
    }

    /** What has not changed since before is let be. */
    @Override
    public void validate(ObjectNode object, ObjectNode before, FieldErrors errors) {
        StructuralSchema root = compiled().schema();
        FieldErrors found = new FieldErrors();
        new ValueValidation(found).object(object, before, root);
        scale().validate(object, version.path("subresources").path("scale"), found);
        EmbeddedResources.validate(object, root, found);
        if (before == null || isUnique(before, root)) {
            Uniqueness.validate(object, root, "", found);
        }
        if (!root.ruled()) {
            errors.addAll(found.causes());
        } else if (found.causes().stream().anyMatch(cause -> BLOCKING.contains(cause.reason()))) {
            found.invalid("<nil>", null, NOT_CHECKED);
            errors.addAll(found.causes());
        } else {
            errors.addAll(found.causes());
            compiled().rules().validate(object, before, errors);
        }
    }

    private static boolean isUnique(ObjectNode object, StructuralSchema root) {
        FieldErrors found = new FieldErrors();
        Uniqueness.validate(object, root, "", found);
        return found.isEmpty();
    }

    @Override
    public Shape shape() {
        return compiled().shape();
    }

    @Override
    public Set<String> selectableFields() {
        Set<String> fields = new HashSet<>();
        version.path("selectableFields")
                .forEach(field -> fields.add(field.path("jsonPath").asText().substring(1)));
        return fields;
    }

    @Override
    public List<String> warnings() {
        if (!version.path("deprecated").asBoolean()) {
            return List.of();
        }
        String own = version.path("deprecationWarning").asText("");
        return List.of(own.isEmpty() ? kind.apiVersion() + " " + kind.kind() + " is deprecated" : own);
    }

    /** The table clients show the objects in. */
    public TableDefinition table() {
        TableDefinition known = table;
        if (known == null) {
            known = PrinterColumns.table(version.path("additionalPrinterColumns"));
            table = known;
        }
        return known;
    }

    @Override
    public String replicasPath() {
        return String.join(".", scale().wanted());
    }

    /** Where the scale of an object is, if it has one. */
    public ScalePaths scale() {
        return ScalePaths.of(version.path("subresources").path("scale"));
    }

    /** Tells versions apart whose documents differ. */
    @Override
    public String toString() {
        return fingerprint;
    }
}
