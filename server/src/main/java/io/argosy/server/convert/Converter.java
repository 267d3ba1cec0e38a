package io.argosy.server.convert;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/** Turns objects of one served version into the version they are stored in, and back. */
public final class Converter {
    private Converter() {}

    /** From the version a client sent; the tree belongs to the caller and is changed. */
    public static ObjectNode toStorage(ObjectNode object, ResourceType served) {
        if (served.isCustom()) {
            served.custom().convert(List.of(object), served.storageVersion().toString());
        } else if (!served.storedAsServed()) {
            Conversions.of(served).toStorage().accept(object);
            object.put("apiVersion", served.storageVersion().toString());
        }
        return object;
    }

    /** The same of what a client wrote: whoever is asked to convert it sees the defaults of the client's version. */
    public static ObjectNode written(ObjectNode object, ResourceType served) {
        if (!served.isCustom() || served.storedAsServed()) {
            return toStorage(object, served);
        }
        served.custom().settle(object);
        try {
            return toStorage(object, served);
        } catch (ApiException failed) {
            throw explained(failed, object, served);
        }
    }

    /** What cannot be converted may be wrong in the first place, and then that is to be said. */
    private static ApiException explained(ApiException failed, ObjectNode object, ResourceType served) {
        FieldErrors errors = new FieldErrors();
        served.custom().validate(object, null, errors);
        String name = object.path("metadata").path("name").asText("");
        return errors.isEmpty() ? failed : ApiException.invalid(served.group(), served.kind(), name, errors.causes());
    }

    /** Custom resources all at once, to the version a client asked for; who is asked to convert them is asked once. The trees are changed. */
    public static void convert(List<ObjectNode> objects, ResourceType custom) {
        String wanted = custom.groupVersion().toString();
        List<ObjectNode> others = objects.stream()
                .filter(object -> !object.path("apiVersion").asText().equals(wanted))
                .toList();
        if (!others.isEmpty()) {
            custom.custom().convert(others, wanted);
            others.forEach(custom.custom()::settle);
        }
    }

    /** To the version a client asked for; the tree belongs to the caller and is changed. */
    public static ObjectNode fromStorage(ObjectNode object, ResourceType served) {
        if (served.isCustom()) {
            convert(List.of(object), served);
        } else if (!served.storedAsServed()) {
            Conversions.of(served).fromStorage().accept(object);
            object.put("apiVersion", served.groupVersion().toString());
        }
        return object;
    }
}
