package io.argosy.client.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import io.argosy.api.json.JsonCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The one way in which fabric8 model objects become JSON and JSON becomes model objects. Readers are made once per class, and
 * short strings that every object repeats ("ClusterFirst", "True", image names) are shared between the decoded objects.
 */
public final class Models {
    private static final ObjectMapper MAPPER = mapper();

    private static final ClassValue<ObjectReader> READERS = new ClassValue<>() {
        @Override
        protected ObjectReader computeValue(Class<?> type) {
            return MAPPER.readerFor(type);
        }
    };

    private static final ClassValue<ObjectWriter> WRITERS = new ClassValue<>() {
        @Override
        protected ObjectWriter computeValue(Class<?> type) {
            return MAPPER.writerFor(type);
        }
    };

    private Models() {}

    /** A list and the store revision at which it is true. */
    public record Listing<T>(List<T> items, String resourceVersion) {}

    /** The JSON of a model object. */
    public static byte[] encode(Object object) {
        try {
            return WRITERS.get(object.getClass()).writeValueAsBytes(object);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(
                    "cannot encode a " + object.getClass().getSimpleName(), e);
        }
    }

    /** The model object that the JSON describes; fields that the class does not know are no error. */
    public static <T> T decode(byte[] json, Class<T> type) {
        try {
            return READERS.get(type).readValue(json);
        } catch (IOException e) {
            throw new UncheckedIOException("not a " + type.getSimpleName() + ": " + e.getMessage(), e);
        }
    }

    /** The same of a tree. */
    public static <T> T decode(JsonNode tree, Class<T> type) {
        try {
            return READERS.get(type).readValue(tree);
        } catch (IOException e) {
            throw new UncheckedIOException("not a " + type.getSimpleName() + ": " + e.getMessage(), e);
        }
    }

    /** A model object as a tree, to make patches of. */
    public static <T extends JsonNode> T toTree(Object object) {
        return MAPPER.valueToTree(object);
    }

    /** A copy that may be changed: what informers hand out is shared and must not be. */
    @SuppressWarnings("unchecked")
    public static <T> T copy(T object) {
        return (T) decode(encode(object), object.getClass());
    }

    /** Reads a list item by item, never holding a second copy of it as a tree. */
    public static <T> Listing<T> decodeList(byte[] json, Class<T> type) {
        return decodeList(json, type, UnaryOperator.identity());
    }

    /** The same; of the items, in JSON, something may be left out. */
    public static <T> Listing<T> decodeList(byte[] json, Class<T> type, UnaryOperator<byte[]> form) {
        List<T> items = new ArrayList<>();
        String resourceVersion = "";
        JsonCursor cursor = JsonCursor.of(json);
        if (!cursor.isObject()) {
            throw new UncheckedIOException(new IOException("not a list of " + type.getSimpleName()));
        }
        cursor.enter();
        while (cursor.nextField()) {
            if (cursor.nameIs("items") && cursor.isArray()) {
                cursor.enter();
                while (cursor.nextElement()) {
                    int from = cursor.position();
                    cursor.skip();
                    items.add(decode(form.apply(Arrays.copyOfRange(json, from, cursor.position())), type));
                }
            } else if (cursor.nameIs("metadata") && cursor.isObject()) {
                resourceVersion = textField(cursor, "resourceVersion");
            } else {
                cursor.skip();
            }
        }
        return new Listing<>(items, resourceVersion);
    }

    /** The revision that an encoded object carries in its metadata, or 0. */
    public static long revisionOf(byte[] json) {
        return revision(metadataText(json, "resourceVersion"));
    }

    /** What an encoded object is called. */
    public static String nameOf(byte[] json) {
        return metadataText(json, "name");
    }

    /** The text of a field of its metadata, or the empty string. */
    private static String metadataText(byte[] json, String field) {
        JsonCursor cursor = JsonCursor.of(json);
        return enterMetadata(cursor) && cursor.find(field) && cursor.isText() ? cursor.text() : "";
    }

    private static boolean enterMetadata(JsonCursor cursor) {
        cursor.enter();
        if (!cursor.find("metadata") || !cursor.isObject()) {
            return false;
        }
        cursor.enter();
        return true;
    }

    /** The same object without the account of who set which field, which is often larger than all else. */
    public static byte[] withoutManagedFields(byte[] json) {
        JsonCursor cursor = JsonCursor.of(json);
        if (!enterMetadata(cursor)) {
            return json;
        }
        int before = cursor.position();
        for (boolean first = true; cursor.nextField(); first = false) {
            boolean found = cursor.nameIs("managedFields");
            int from = first ? cursor.fieldStart() : before;
            cursor.skip();
            before = cursor.position();
            if (found) {
                int to = first && json[before] == ',' ? before + 1 : before;
                byte[] rest = Arrays.copyOf(json, json.length - (to - from));
                System.arraycopy(json, to, rest, from, json.length - to);
                return rest;
            }
        }
        return json;
    }

    /** A resourceVersion as a number; 0 where there is none. */
    public static long revision(String resourceVersion) {
        return resourceVersion == null || resourceVersion.isEmpty() ? 0 : Long.parseLong(resourceVersion);
    }

    /** Reads to the end of the object that begins here and gives the text of one of its fields, or the empty string. */
    private static String textField(JsonCursor cursor, String name) {
        String found = "";
        cursor.enter();
        while (cursor.nextField()) {
            if (cursor.nameIs(name) && cursor.isText()) {
                found = cursor.text();
            } else {
                cursor.skip();
            }
        }
        return found;
    }

    private static ObjectMapper mapper() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(200)
                        .maxStringLength(16 << 20)
                        .build())
                .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES) // the factory's own table shares them
                .build();
        return JsonMapper.builder(factory)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .serializationInclusion(JsonInclude.Include.NON_NULL)
                .addModule(new SimpleModule("argosy-models")
                        .addDeserializer(String.class, new SharedStrings())
                        .addSerializer(ZonedDateTime.class, new MicroTimeWriter())
                        .addDeserializer(ZonedDateTime.class, new MicroTimeReader()))
                .build();
    }

    /** Gives the same String for the same short text, through a small table; a lost race only costs one more copy. */
    private static final class SharedStrings extends StdScalarDeserializer<String> {
        private static final int LONGEST = 48;
        private final transient String[] table = new String[4096];

        SharedStrings() {
            super(String.class);
        }

        @Override
        public String deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            String text =
                    parser.hasToken(JsonToken.VALUE_STRING) ? parser.getText() : _parseString(parser, context, this);
            if (text == null || text.length() > LONGEST) {
                return text;
            }
            int hash = text.hashCode();
            int slot = (hash ^ hash >>> 12) & (table.length - 1);
            String known = table[slot];
            if (text.equals(known)) {
                return known;
            }
            table[slot] = text;
            return text;
        }
    }

    private static final class MicroTimeWriter extends StdScalarSerializer<ZonedDateTime> {
        private static final DateTimeFormatter FORMAT =
                DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

        MicroTimeWriter() {
            super(ZonedDateTime.class);
        }

        @Override
        public void serialize(ZonedDateTime time, JsonGenerator out, SerializerProvider provider) throws IOException {
            out.writeString(FORMAT.format(time));
        }
    }

    private static final class MicroTimeReader extends StdScalarDeserializer<ZonedDateTime> {
        MicroTimeReader() {
            super(ZonedDateTime.class);
        }

        @Override
        public ZonedDateTime deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return ZonedDateTime.parse(parser.getText()).withZoneSameInstant(ZoneOffset.UTC);
        }
    }
}
