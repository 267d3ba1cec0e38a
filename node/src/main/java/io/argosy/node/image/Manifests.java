package io.argosy.node.image;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes the JSON documents an image is made of, in OCI's words and in Docker's. */
final class Manifests {
    static final String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
    static final String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    static final String OCI_CONFIG = "application/vnd.oci.image.config.v1+json";
    static final String OCI_LAYER = "application/vnd.oci.image.layer.v1.tar";
    static final String DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json";
    static final String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
    static final String ACCEPT = String.join(", ", OCI_INDEX, OCI_MANIFEST, DOCKER_INDEX, DOCKER_MANIFEST);
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

    private Manifests() {}

    /** A pointer to content: what it is, how it is named, how long it is. */
    record Descriptor(String mediaType, String digest, long size) {}

    /** An image for one platform. */
    record Manifest(String mediaType, Descriptor config, List<Descriptor> layers) {
        Manifest {
            layers = List.copyOf(layers);
        }
    }

    /** The part of a config that concerns us. */
    record Config(ImageConfig run, List<String> diffIds) {
        Config {
            diffIds = List.copyOf(diffIds);
        }
    }

    static JsonNode tree(byte[] bytes) {
        try {
            JsonNode node = JSON.readTree(bytes);
            if (node == null || !node.isContainerNode()) {
                throw malformed("not a JSON document");
            }
            return node;
        } catch (IOException e) {
            throw malformed(firstLine(e));
        }
    }

    static byte[] bytes(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ArrayNode array() {
        return JSON.createArrayNode();
    }

    static boolean isIndex(JsonNode document) {
        String type = document.path("mediaType").asText("");
        return type.equals(OCI_INDEX)
                || type.equals(DOCKER_INDEX)
                || (type.isEmpty() && document.path("manifests").isArray());
    }

    static Manifest manifest(JsonNode document) {
        if (document.path("schemaVersion").asInt() == 1) {
            throw new ImageException(
                    ImageException.Kind.UNSUPPORTED,
                    "media type \"application/vnd.docker.distribution.manifest.v1+prettyjws\" is no longer supported");
        }
        if (!document.path("config").isObject() || !document.path("layers").isArray()) {
            throw malformed("the manifest has no config or no layers");
        }
        List<Descriptor> layers = new ArrayList<>();
        for (JsonNode layer : document.path("layers")) {
            layers.add(descriptor(layer));
        }
        return new Manifest(
                document.path("mediaType").asText(OCI_MANIFEST), descriptor(document.path("config")), layers);
    }

    static Descriptor descriptor(JsonNode node) {
        Descriptor descriptor = new Descriptor(
                node.path("mediaType").asText(""),
                node.path("digest").asText(""),
                node.path("size").asLong(-1));
        Digests.hex(descriptor.digest());
        if (descriptor.size() < 0) {
            throw malformed("no size for " + descriptor.digest());
        }
        return descriptor;
    }

    /** The manifest of an index made for the machine we run on. */
    static Descriptor choose(JsonNode index) {
        List<String> offered = new ArrayList<>();
        JsonNode untold = null;
        for (JsonNode candidate : index.path("manifests")) {
            JsonNode platform = candidate.path("platform");
            if (platform.isMissingNode()) {
                untold = candidate;
                continue;
            }
            String os = platform.path("os").asText("");
            String architecture = platform.path("architecture").asText("");
            if (os.equals("linux") && architecture.equals(architecture())) {
                return descriptor(candidate);
            }
            offered.add(os + "/" + architecture);
        }
        if (untold != null && offered.isEmpty()) {
            return descriptor(untold);
        }
        throw new ImageException(
                ImageException.Kind.NOT_FOUND,
                "no match for platform in manifest: linux/" + architecture() + " is not among " + offered
                        + ": not found");
    }

    /** The running machine's architecture as images name it. */
    static String architecture() {
        String name = System.getProperty("os.arch");
        return switch (name) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> name;
        };
    }

    static Config config(byte[] bytes) {
        JsonNode document = tree(bytes);
        JsonNode run = document.path("config");
        Map<String, String> labels = new LinkedHashMap<>();
        run.path("Labels")
                .properties()
                .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
        return new Config(
                new ImageConfig(
                        texts(run.path("Env")),
                        texts(run.path("Entrypoint")),
                        texts(run.path("Cmd")),
                        run.path("User").asText(""),
                        run.path("WorkingDir").asText(""),
                        run.path("StopSignal").asText(""),
                        keys(run.path("ExposedPorts")),
                        keys(run.path("Volumes")),
                        labels),
                texts(document.path("rootfs").path("diff_ids")));
    }

    /** A config document for an image we make ourselves; the same input gives the same bytes. */
    static byte[] config(ImageConfig run, List<String> diffIds) {
        ObjectNode document = object();
        document.put("created", "1970-01-01T00:00:00Z");
        document.put("architecture", architecture());
        document.put("os", "linux");
        ObjectNode inner = document.putObject("config");
        put(inner, "Env", run.env());
        put(inner, "Entrypoint", run.entrypoint());
        put(inner, "Cmd", run.cmd());
        put(inner, "User", run.user());
        put(inner, "WorkingDir", run.workingDir());
        put(inner, "StopSignal", run.stopSignal());
        putKeys(inner, "ExposedPorts", run.exposedPorts());
        putKeys(inner, "Volumes", run.volumes());
        if (!run.labels().isEmpty()) {
            ObjectNode labels = inner.putObject("Labels");
            run.labels().entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(e -> labels.put(e.getKey(), e.getValue()));
        }
        ObjectNode rootfs = document.putObject("rootfs");
        rootfs.put("type", "layers");
        diffIds.forEach(rootfs.putArray("diff_ids")::add);
        return bytes(document);
    }

    static byte[] manifest(Descriptor config, List<Descriptor> layers) {
        ObjectNode document = object();
        document.put("schemaVersion", 2);
        document.put("mediaType", OCI_MANIFEST);
        document.set("config", node(config));
        ArrayNode list = document.putArray("layers");
        layers.forEach(layer -> list.add(node(layer)));
        return bytes(document);
    }

    static ObjectNode node(Descriptor descriptor) {
        ObjectNode node = object();
        node.put("mediaType", descriptor.mediaType());
        node.put("digest", descriptor.digest());
        node.put("size", descriptor.size());
        return node;
    }

    static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static List<String> keys(JsonNode object) {
        List<String> keys = new ArrayList<>();
        object.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    private static void put(ObjectNode object, String name, List<String> values) {
        if (!values.isEmpty()) {
            values.forEach(object.putArray(name)::add);
        }
    }

    private static void put(ObjectNode object, String name, String value) {
        if (!value.isEmpty()) {
            object.put(name, value);
        }
    }

    private static void putKeys(ObjectNode object, String name, List<String> keys) {
        if (!keys.isEmpty()) {
            ObjectNode inner = object.putObject(name);
            keys.stream().sorted().forEach(inner::putObject);
        }
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("unreadable");
    }

    private static ImageException malformed(String why) {
        return new ImageException(ImageException.Kind.CORRUPT, "malformed image document: " + why);
    }
}
