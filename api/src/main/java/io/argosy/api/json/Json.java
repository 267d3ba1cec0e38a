package io.argosy.api.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

/** The one way in which trees become bytes and bytes become trees, with limits against hostile input. */
public final class Json {
    /** As deep as objects may nest; a custom resource's schema is the deepest honest thing. */
    private static final int MAX_DEPTH = 200;

    public static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(16 << 20)
                    .maxNumberLength(100)
                    .build())
            // by default buffers are kept per thread, which for virtual threads means never
            .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES) // the factory's own table shares them
            .build();

    private static final ObjectMapper MAPPER = JsonMapper.builder(FACTORY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    public static JsonFactory factory() {
        return FACTORY;
    }

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    public static byte[] encode(JsonNode tree) {
        try {
            return MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("a tree in memory always encodes", e);
        }
    }

    /** Any JSON value; throws Jackson's exception, whose message says where the text is wrong. */
    public static JsonNode decode(byte[] json) throws IOException {
        return decode(json, path -> {});
    }

    /** The same; of keys that come twice in one object the last one counts, and the listener hears their paths. */
    public static JsonNode decode(byte[] json, Consumer<String> duplicates) throws IOException {
        try (JsonParser parser = parser(json)) {
            return new TreeReader(parser, (key, path, at) -> duplicates.accept(path)).read();
        }
    }

    /** Bytes that we wrote ourselves and that must therefore be an object. */
    public static ObjectNode decodeObject(byte[] json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException("stored bytes are not JSON", e);
        }
    }

    /** The same for what was written once by {@link #encode}, or by another who writes valid JSON: quicker, and it must be whole. */
    public static ObjectNode decodeStored(byte[] json) {
        return StoredTree.read(json);
    }

    public static JsonParser parser(byte[] json) throws IOException {
        return FACTORY.createParser(json);
    }
}
