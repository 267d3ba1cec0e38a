package io.argosy.server.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.SchemaCheck;
import io.argosy.api.schema.Schemas;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.convert.Converter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Reads what clients send: JSON or YAML, held against the kind's schema. */
final class Bodies {
    private static final Set<String> JSON = Set.of("", "application/json", "*/*");
    private static final Set<String> YAML = Set.of("application/yaml", "application/x-yaml", "text/yaml");

    /** How many bytes of what cannot be read are shown. */
    private static final int SHOWN = 30;

    /** More warnings than anybody reads help nobody. */
    private static final int MAX_WARNINGS = 50;

    private Bodies() {}

    /** The object a client sent, of the kind the resource is of, cleaned of what its schema does not know. */
    static ObjectNode object(ResourceRequest request, GroupVersionKind expected, Consumer<String> warnings) {
        List<String> duplicates = new ArrayList<>();
        UnaryOperator<String> unrecognized = why -> "the object provided is unrecognized (must be of type "
                + expected.kind() + "): couldn't get version/kind; json parse error: " + why + " ("
                + beginning(request.body()) + ")";
        JsonNode body = decode(request, duplicates, unrecognized);
        if (!(body instanceof ObjectNode object)) {
            throw ApiException.badRequest(unrecognized.apply("the body is not an object"));
        }
        checkKind(object, expected);
        String validation = request.fieldValidation();
        if (expected.equals(request.type().groupVersionKind())) {
            clean(object, request.type(), duplicates, validation, warnings);
        } else {
            clean(object, expected, duplicates, validation, warnings);
        }
        return object;
    }

    /** The same in the version it is stored in. */
    static ObjectNode toStorage(ResourceRequest request, Consumer<String> warnings) {
        ResourceType type = request.type();
        ObjectNode object = object(request, type.groupVersionKind(), warnings);
        return stored(object, type, request.fieldValidation(), warnings);
    }

    /** Versions of old have no schema of their own; they are held against that of the version they turn into. */
    static ObjectNode stored(ObjectNode object, ResourceType type, String validation, Consumer<String> warnings) {
        Converter.written(object, type);
        if (!type.storedAsServed() && !type.isCustom()) {
            clean(object, type.storageVersion().kind(type.kind()), List.of(), validation, warnings);
        }
        return object;
    }

    /** So much of a body that whoever sent it knows it again. */
    private static String beginning(byte[] body) {
        if (body.length == 0) {
            return "<empty>";
        }
        int length = Math.min(body.length, SHOWN);
        String text = body[0] == '{'
                ? new String(body, 0, length, StandardCharsets.UTF_8)
                : HexFormat.of().formatHex(body, 0, length);
        return body.length > SHOWN ? text + " ..." : text;
    }

    /** Any JSON or YAML value that says more of a request than its path. */
    static JsonNode options(ResourceRequest request) {
        return decode(request, new ArrayList<>(), why -> "couldn't get version/kind; json parse error: " + why);
    }

    /** What a request brings; complaints about keys that come twice are added to the list. What cannot be read is told of in those words. */
    static JsonNode decode(ResourceRequest request, List<String> duplicates, UnaryOperator<String> words) {
        byte[] body = request.body();
        String mediaType = mediaType(request.contentType());
        try {
            if (JSON.contains(mediaType) || mediaType.endsWith("+json")) {
                return Json.decode(body, path -> duplicates.add(duplicate(path)));
            }
            if (YAML.contains(mediaType) || mediaType.endsWith("+yaml")) {
                return yaml(body, duplicates);
            }
            if (mediaType.equals(ProtobufDecoder.MEDIA_TYPE)) {
                return ProtobufDecoder.decode(body);
            }
        } catch (IOException malformed) {
            throw ApiException.badRequest(words.apply(firstLine(malformed)));
        }
        throw new ApiException(
                Reason.UnsupportedMediaType,
                "the body of the request was in an unknown format - accepted media types include: application/json,"
                        + " application/yaml, application/vnd.kubernetes.protobuf");
    }

    /** In YAML one complaint tells of all of them. */
    private static JsonNode yaml(byte[] body, List<String> duplicates) throws IOException {
        List<String> lines = new ArrayList<>();
        JsonNode tree = Yaml.decode(body, lines::add);
        if (!lines.isEmpty()) {
            duplicates.add("yaml: unmarshal errors:\n  " + String.join("\n  ", lines));
        }
        return tree;
    }

    private static String duplicate(String path) {
        return "duplicate field \"" + path + "\"";
    }

    /** What is wrong, in words that do not tell how we read. */
    private static String firstLine(IOException malformed) {
        if (malformed instanceof JsonEOFException) {
            return "unexpected end of JSON input";
        }
        String message = String.valueOf(
                malformed instanceof JsonProcessingException parsing
                        ? parsing.getOriginalMessage()
                        : malformed.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    static String mediaType(String contentType) {
        int semicolon = contentType.indexOf(';');
        return (semicolon < 0 ? contentType : contentType.substring(0, semicolon))
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    static void checkKind(ObjectNode object, GroupVersionKind expected) {
        String kind = object.path("kind").asText("");
        String apiVersion = object.path("apiVersion").asText("");
        if (kind.isEmpty()) { // the path says it
            kind = expected.kind();
            object.put("kind", kind);
        }
        if (apiVersion.isEmpty()) {
            apiVersion = expected.apiVersion();
            object.put("apiVersion", apiVersion);
        }
        if (!kind.equals(expected.kind())) {
            throw ApiException.badRequest(kind + " in version \"" + version(apiVersion) + "\" cannot be handled as a "
                    + expected.kind() + ": converting (" + version(apiVersion) + "." + kind + ") to ("
                    + expected.version() + "." + expected.kind() + "): unknown conversion");
        }
        if (!apiVersion.equals(expected.apiVersion())) {
            throw ApiException.badRequest("the API version in the data (" + apiVersion
                    + ") does not match the expected API version (" + expected.apiVersion() + ")");
        }
    }

    private static String version(String apiVersion) {
        return apiVersion.substring(apiVersion.indexOf('/') + 1);
    }

    /** Takes out what the schema does not know, and tells of it as the client asked: Strict, Warn (or nothing), Ignore. */
    static void clean(
            ObjectNode object,
            GroupVersionKind kind,
            List<String> duplicates,
            String validation,
            Consumer<String> warnings) {
        tell(unknown(object, kind), kind, duplicates, validation, warnings);
    }

    /** The same for an object of the resource itself, be it built in or custom. */
    static void clean(
            ObjectNode object,
            ResourceType type,
            List<String> duplicates,
            String validation,
            Consumer<String> warnings) {
        tell(unknown(object, type), type.groupVersionKind(), duplicates, validation, warnings);
    }

    /** Takes out what the schema of a kind does not know, and answers with the paths of that. */
    static List<String> unknown(ObjectNode object, GroupVersionKind kind) {
        Schema schema = Schemas.builtIn().find(kind).orElse(null);
        return schema == null ? List.of() : unknown(object, kind, sent -> SchemaCheck.clean(sent, schema));
    }

    /** The same for an object of the resource itself. */
    static List<String> unknown(ObjectNode object, ResourceType type) {
        return type.isCustom()
                ? unknown(object, type.groupVersionKind(), type.custom()::clean)
                : unknown(object, type.groupVersionKind());
    }

    /** Takes out of an object what is unknown, and answers with the paths of that. */
    private interface Cleaning {
        List<String> clean(ObjectNode object) throws SchemaCheck.MismatchException;
    }

    private static List<String> unknown(ObjectNode object, GroupVersionKind kind, Cleaning cleaning) {
        try {
            return cleaning.clean(object);
        } catch (SchemaCheck.MismatchException mismatch) {
            throw ApiException.badRequest(unhandled(kind) + mismatch.getMessage());
        }
    }

    private static String unhandled(GroupVersionKind kind) {
        return kind.kind() + " in version \"" + kind.version() + "\" cannot be handled as a " + kind.kind() + ": ";
    }

    private static void tell(
            List<String> unknown,
            GroupVersionKind kind,
            List<String> duplicates,
            String validation,
            Consumer<String> warnings) {
        if (validation.equals("Ignore") || (unknown.isEmpty() && duplicates.isEmpty())) {
            return;
        }
        List<String> complaints = new ArrayList<>();
        unknown.forEach(path -> complaints.add("unknown field \"" + path + "\""));
        List<String> known = new ArrayList<>(duplicates);
        unknown.forEach(path -> known.remove(duplicate(path)));
        complaints.addAll(known);
        if (validation.equals("Strict")) {
            throw ApiException.badRequest(unhandled(kind) + "strict decoding error: " + String.join(", ", complaints));
        }
        warn(complaints, warnings);
    }

    static void warn(List<String> complaints, Consumer<String> warnings) {
        complaints.stream().limit(MAX_WARNINGS).map(Bodies::inOneLine).forEach(warnings);
    }

    /** Warnings go into headers. */
    static String inOneLine(String complaint) {
        return complaint.replaceAll("\\n\\s*", " ");
    }
}
