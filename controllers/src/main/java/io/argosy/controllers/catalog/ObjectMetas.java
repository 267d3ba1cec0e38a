package io.argosy.controllers.catalog;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

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
        try (JsonParser parser = Json.parser(json)) {
            parser.nextToken();
            return object(parser);
        } catch (IOException e) {
            throw new UncheckedIOException("not an object: " + e.getMessage(), e);
        }
    }

    public static Listing list(byte[] json) {
        List<Meta> items = new ArrayList<>();
        String resourceVersion = "";
        try (JsonParser parser = Json.parser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("items") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        items.add(object(parser));
                    }
                } else if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    resourceVersion = metadata(parser).resourceVersion();
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("not a list: " + e.getMessage(), e);
        }
        return new Listing(items, resourceVersion);
    }

    /** The parser stands at the object's start, and afterwards at its end. */
    private static Meta object(JsonParser parser) throws IOException {
        Meta found = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = parser.currentName().equals("metadata");
            if (parser.nextToken() == JsonToken.START_OBJECT && metadata) {
                found = metadata(parser);
            } else {
                parser.skipChildren();
            }
        }
        if (found == null) {
            throw new IOException("it has no metadata");
        }
        return found;
    }

    private static Meta metadata(JsonParser parser) throws IOException {
        String uid = "";
        String namespace = "";
        String name = "";
        String resourceVersion = "";
        boolean deleting = false;
        List<String> finalizers = List.of();
        List<Owner> owners = List.of();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "uid" -> uid = parser.getText();
                case "namespace" -> namespace = parser.getText().intern();
                case "name" -> name = parser.getText();
                case "resourceVersion" -> resourceVersion = parser.getText();
                case "deletionTimestamp" -> deleting = value == JsonToken.VALUE_STRING;
                case "finalizers" -> finalizers = strings(parser);
                case "ownerReferences" -> owners = owners(parser);
                default -> parser.skipChildren();
            }
        }
        return new Meta(uid, namespace, name, resourceVersion, deleting, finalizers, owners);
    }

    private static List<String> strings(JsonParser parser) throws IOException {
        List<String> strings = new ArrayList<>();
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                strings.add(parser.getText().intern());
            }
        }
        return List.copyOf(strings);
    }

    private static List<Owner> owners(JsonParser parser) throws IOException {
        List<Owner> owners = new ArrayList<>();
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                owners.add(owner(parser));
            }
        }
        return List.copyOf(owners);
    }

    private static Owner owner(JsonParser parser) throws IOException {
        String apiVersion = "";
        String kind = "";
        String name = "";
        String uid = "";
        boolean controller = false;
        boolean blocks = false;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (field) {
                case "apiVersion" -> apiVersion = parser.getText().intern();
                case "kind" -> kind = parser.getText().intern();
                case "name" -> name = parser.getText();
                case "uid" -> uid = parser.getText();
                case "controller" -> controller = value == JsonToken.VALUE_TRUE;
                case "blockOwnerDeletion" -> blocks = value == JsonToken.VALUE_TRUE;
                default -> parser.skipChildren();
            }
        }
        return new Owner(apiVersion, kind, name, uid, controller, blocks);
    }
}
