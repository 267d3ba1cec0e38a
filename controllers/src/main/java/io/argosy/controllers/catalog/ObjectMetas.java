package io.argosy.controllers.catalog;

import io.argosy.api.json.JsonCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads only what every object has, and of that only what lifetime depends on, skipping the rest of the JSON unread. */
public final class ObjectMetas {
    private ObjectMetas() {}

    /** The lifetime of an object: who it is, who owns it, what holds it. */
    public record Meta(
            String uid,
            String namespace,
            String name,
            String resourceVersion,
            boolean deleting,
            List<String> finalizers,
            List<Owner> owners) {}

    /** An owner reference. */
    public record Owner(
            String apiVersion, String kind, String name, String uid, boolean controller, boolean blocksDeletion) {}

    /** The objects of a list and the revision at which it is true. */
    public record Listing(List<Meta> items, String resourceVersion) {}

    public static Meta read(byte[] json) {
        return object(JsonCursor.of(json));
    }

    public static Listing list(byte[] json) {
        List<Meta> items = new ArrayList<>();
        String resourceVersion = "";
        JsonCursor cursor = JsonCursor.of(json);
        cursor.enter();
        while (cursor.nextField()) {
            if (cursor.nameIs("items") && cursor.isArray()) {
                cursor.enter();
                while (cursor.nextElement()) {
                    items.add(object(cursor));
                }
            } else if (cursor.nameIs("metadata") && cursor.isObject()) {
                resourceVersion = metadata(cursor).resourceVersion();
            } else {
                cursor.skip();
            }
        }
        return new Listing(items, resourceVersion);
    }

    private static Meta object(JsonCursor cursor) {
        Meta found = null;
        cursor.enter();
        while (cursor.nextField()) {
            if (cursor.nameIs("metadata") && cursor.isObject()) {
                found = metadata(cursor);
            } else {
                cursor.skip();
            }
        }
        if (found == null) {
            throw new UncheckedIOException(new IOException("an object without metadata"));
        }
        return found;
    }

    private static Meta metadata(JsonCursor cursor) {
        String uid = "";
        String namespace = "";
        String name = "";
        String resourceVersion = "";
        boolean deleting = false;
        List<String> finalizers = List.of();
        List<Owner> owners = List.of();
        cursor.enter();
        while (cursor.nextField()) {
            switch (cursor.name()) {
                case "uid" -> uid = cursor.text();
                case "namespace" -> namespace = cursor.text().intern();
                case "name" -> name = cursor.text();
                case "resourceVersion" -> resourceVersion = cursor.text();
                case "deletionTimestamp" -> {
                    deleting = cursor.isText();
                    cursor.skip();
                }
                case "finalizers" ->
                    finalizers = all(cursor, () -> cursor.text().intern());
                case "ownerReferences" -> owners = all(cursor, () -> owner(cursor));
                default -> cursor.skip();
            }
        }
        return new Meta(uid, namespace, name, resourceVersion, deleting, finalizers, owners);
    }

    /** The elements of the array that begins here; of anything else, none. */
    private static <T> List<T> all(JsonCursor cursor, Supplier<T> next) {
        if (!cursor.isArray()) {
            cursor.skip();
            return List.of();
        }
        List<T> elements = new ArrayList<>();
        cursor.enter();
        while (cursor.nextElement()) {
            elements.add(next.get());
        }
        return List.copyOf(elements);
    }

    private static Owner owner(JsonCursor cursor) {
        String apiVersion = "";
        String kind = "";
        String name = "";
        String uid = "";
        boolean controller = false;
        boolean blocks = false;
        cursor.enter();
        while (cursor.nextField()) {
            switch (cursor.name()) {
                case "apiVersion" -> apiVersion = cursor.text().intern();
                case "kind" -> kind = cursor.text().intern();
                case "name" -> name = cursor.text();
                case "uid" -> uid = cursor.text();
                case "controller" -> controller = cursor.text().equals("true");
                case "blockOwnerDeletion" -> blocks = cursor.text().equals("true");
                default -> cursor.skip();
            }
        }
        return new Owner(apiVersion, kind, name, uid, controller, blocks);
    }
}
