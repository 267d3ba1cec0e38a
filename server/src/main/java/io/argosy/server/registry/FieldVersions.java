package io.argosy.server.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.apply.FieldOwnership;
import io.argosy.api.apply.Shape;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.schema.Schemas;
import io.argosy.server.convert.Converter;
import java.util.Optional;

/** The versions one resource is served in, for owners of fields who wrote in different ones. */
final class FieldVersions implements FieldOwnership.Versions {
    private final ResourceType stored;
    private final ResourceTypes types;

    FieldVersions(ResourceType stored, ResourceTypes types) {
        this.stored = stored;
        this.types = types;
    }

    private Optional<ResourceType> served(String apiVersion) {
        return types.find(GroupVersion.parse(apiVersion), stored.plural())
                .filter(type -> type.storageResource().equals(stored.groupResource()));
    }

    @Override
    public Optional<ObjectNode> convert(ObjectNode object, String from, String to) {
        if (from.equals(to)) {
            return Optional.of(object);
        }
        Optional<ResourceType> source = served(from);
        return source.isEmpty()
                ? Optional.empty()
                : served(to)
                        .map(target ->
                                Converter.fromStorage(Converter.toStorage(object.deepCopy(), source.get()), target));
    }

    /** The stored object in a served version; the tree is the caller's and may be changed. */
    ObjectNode fromStorage(ObjectNode object, String apiVersion) {
        Optional<ResourceType> target = served(apiVersion);
        return target.isEmpty() || target.get().storedAsServed()
                ? object
                : Converter.fromStorage(object.deepCopy(), target.get());
    }

    ObjectNode toStorage(ObjectNode object, String apiVersion) {
        Optional<ResourceType> source = served(apiVersion);
        return source.isEmpty() || source.get().storedAsServed() ? object : Converter.written(object, source.get());
    }

    @Override
    public Shape shape(String apiVersion) {
        ResourceType type = served(apiVersion).orElse(null);
        if (type != null && type.isCustom()) {
            return type.custom().shape();
        }
        return type == null
                ? Shape.DEDUCED
                : Schemas.builtIn().find(type.groupVersionKind()).map(Shape::of).orElse(Shape.DEDUCED);
    }
}
