package io.argosy.api.schema;

import io.argosy.api.GroupVersionKind;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;

/** Finds schemas by kind or by name. A schema is made when first asked for, so that a start pays only for what it uses. */
public final class Schemas {
    private final StructureFile file;

    private Schemas(StructureFile file) {
        this.file = file;
    }

    /** The schemas of the built-in kinds, of old versions that are served, and of all types these consist of. */
    public static Schemas builtIn() {
        return BuiltIn.SCHEMAS;
    }

    public Optional<Schema> find(GroupVersionKind kind) {
        int place = file.place(kind);
        return place < 0 ? Optional.empty() : Optional.of(file.schema(place));
    }

    /** By the name in OpenAPI documents: {@code io.k8s.api.apps.v1.Deployment}. */
    public Optional<Schema> find(String name) {
        int place = file.place(name);
        return place < 0 ? Optional.empty() : Optional.of(file.schema(place));
    }

    /** All schemas in alphabetical order of their names; made one by one as the list is walked. */
    public List<Schema> all() {
        return new AbstractList<>() {
            @Override
            public Schema get(int index) {
                return file.schema(index);
            }

            @Override
            public int size() {
                return file.size();
            }
        };
    }

    /** Read on first use only, so that programs that never ask do not pay for it. */
    private static final class BuiltIn {
        static final Schemas SCHEMAS = new Schemas(StructureFile.load("structure.bin", "descriptions.gz"));
    }
}
