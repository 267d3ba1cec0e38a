package io.argosy.api.protobuf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What stands around messages on the wire and in etcd: four bytes that tell them from JSON, then their kind, then the message. */
public final class Envelope {
    private static final byte[] MAGIC = {'k', '8', 's', 0};

    /** Encoding and type of the content, both empty: the message is plain protobuf. */
    private static final byte[] TAIL = {3 << 3 | 2, 0, 4 << 3 | 2, 0};

    private static final int LIST_METADATA = 1;
    private static final int LIST_ITEMS = 2;

    private Envelope() {}

    public static boolean isEnveloped(byte[] bytes) {
        return bytes.length >= MAGIC.length && bytes[0] == 'k' && bytes[1] == '8' && bytes[2] == 's' && bytes[3] == 0;
    }

    /** The schema by which objects of a kind become messages; empty for kinds that have no protobuf form. */
    public static Optional<Schema> schema(GroupVersionKind kind) {
        return Schemas.builtIn().find(kind);
    }

    /** The object in its envelope, its kind taken from the tree. */
    public static byte[] encode(ObjectNode object, Schema schema) {
        GroupVersionKind kind = GroupVersionKind.of(
                object.path("apiVersion").asText(), object.path("kind").asText());
        return ProtobufEncoder.join(around(kind, ProtobufEncoder.encode(object, schema)));
    }

    /** A message in its envelope, in pieces that share its bytes. */
    public static List<byte[]> around(GroupVersionKind kind, byte[] message) {
        return List.of(head(kind, message.length), message, TAIL);
    }

    /** A list in its envelope: its metadata and the messages of its items, in pieces that share their bytes. */
    public static List<byte[]> list(GroupVersionKind listKind, byte[] metadata, List<byte[]> items) {
        List<byte[]> pieces = new ArrayList<>(items.size() * 2 + 3);
        WireWriter first = new WireWriter();
        first.bytes(LIST_METADATA, metadata);
        pieces.add(first.toBytes());
        long length = first.size();
        for (byte[] item : items) {
            byte[] start = start(LIST_ITEMS, item.length);
            pieces.add(start);
            pieces.add(item);
            length += start.length + item.length;
        }
        pieces.addFirst(head(listKind, Math.toIntExact(length)));
        pieces.add(TAIL);
        return pieces;
    }

    /** A frame of a watch: its length, then the event around an object that has an envelope of its own. */
    public static List<byte[]> watchFrame(String type, List<byte[]> enveloped) {
        int length = 0;
        for (byte[] piece : enveloped) {
            length += piece.length;
        }
        byte[] raw = start(1, length);
        WireWriter event = new WireWriter();
        event.raw(raw);
        event.raw(start(2, raw.length + length));
        event.text(1, type);
        List<byte[]> frame = new ArrayList<>(enveloped.size() + 1);
        byte[] head = event.toBytes();
        frame.add(ByteBuffer.allocate(4 + head.length)
                .putInt(head.length + length)
                .put(head)
                .array());
        frame.addAll(enveloped);
        return frame;
    }

    private static byte[] head(GroupVersionKind kind, int length) {
        WireWriter head = new WireWriter();
        head.raw(start(2, length));
        int before = head.size();
        head.text(2, kind.kind());
        head.text(1, kind.apiVersion());
        head.message(1, before);
        head.raw(MAGIC);
        return head.toBytes();
    }

    /** The beginning of a field of bytes: its tag and length. */
    private static byte[] start(int number, int length) {
        WireWriter start = new WireWriter(16);
        start.start(number, length);
        return start.toBytes();
    }
}
