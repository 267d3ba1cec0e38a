package io.argosy.server.cache;

import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * One revision of an object, ready to be sent: its final JSON, resourceVersion included, and the few facts that selectors ask for.
 * Made once, when the revision is committed, and shared by every reader and watcher.
 */
public final class CachedObject {
    /** Among the fields of an object that initializers still have to see. */
    static final String INITIALIZERS = "metadata.initializers";

    /** Among the fields of an object that is stored in another form than the one shown here. */
    static final String OLDER = "metadata.older";

    private final String key;
    private final String namespace;
    private final String name;
    private final byte[] json;
    private final long revision;
    private final Map<String, String> labels;
    private final Map<String, String> fields;

    /** Made when the first client asks for it, and kept as long as there is room: most objects are never asked for so. */
    private volatile SoftReference<byte[]> protobuf;

    /** The key is the object's place below its resource: {@code namespace/name}, or {@code name} where there is no namespace. */
    public CachedObject(
            String key,
            String namespace,
            String name,
            byte[] json,
            long revision,
            Map<String, String> labels,
            Map<String, String> fields) {
        this.key = key;
        this.namespace = namespace;
        this.name = name;
        this.json = json;
        this.revision = revision;
        this.labels = labels;
        this.fields = fields;
    }

    public String key() {
        return key;
    }

    public String namespace() {
        return namespace;
    }

    public String name() {
        return name;
    }

    /** The shared encoding; nobody may change it. */
    public byte[] json() {
        return json;
    }

    public long revision() {
        return revision;
    }

    public Map<String, String> labels() {
        return labels;
    }

    public Map<String, String> fields() {
        return fields;
    }

    /** Whether initializers still have to see the object; until then it is there for nobody else. */
    public boolean isUninitialized() {
        return fields.containsKey(INITIALIZERS);
    }

    /** Whether the store has it in a form of old: another version, or what its schema said then. */
    public boolean isOlder() {
        return fields.containsKey(OLDER);
    }

    /** The object as a protobuf message, shared as the JSON is; the encoder makes it of the JSON, once for all who ask. */
    public byte[] protobuf(UnaryOperator<byte[]> encoder) {
        SoftReference<byte[]> kept = protobuf;
        byte[] message = kept == null ? null : kept.get();
        if (message == null) {
            message = encoder.apply(json);
            protobuf = new SoftReference<>(message);
        }
        return message;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CachedObject that && revision == that.revision && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + Long.hashCode(revision);
    }

    @Override
    public String toString() {
        return key + "@" + revision;
    }
}
