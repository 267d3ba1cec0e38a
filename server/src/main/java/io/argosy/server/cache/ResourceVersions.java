package io.argosy.server.cache;

import java.nio.charset.StandardCharsets;

/**
 * Puts the resourceVersion into an object's bytes. The store holds objects without it, because it is known only once the write is
 * committed; objects are always encoded with kind, apiVersion and metadata first, so the place is found without parsing.
 */
public final class ResourceVersions {
    private static final byte[] METADATA = "\"metadata\":{".getBytes(StandardCharsets.US_ASCII);

    private ResourceVersions() {}

    public static byte[] stamp(byte[] json, long revision) {
        int place = indexOf(json, METADATA) + METADATA.length;
        byte[] field = field(revision);
        byte[] stamped = new byte[json.length + field.length];
        System.arraycopy(json, 0, stamped, 0, place);
        System.arraycopy(field, 0, stamped, place, field.length);
        System.arraycopy(json, place, stamped, place + field.length, json.length - place);
        return stamped;
    }

    /** The same object under another revision. */
    public static byte[] restamp(byte[] stamped, long was, long revision) {
        int place = indexOf(stamped, METADATA) + METADATA.length;
        int length = field(was).length;
        byte[] plain = new byte[stamped.length - length];
        System.arraycopy(stamped, 0, plain, 0, place);
        System.arraycopy(stamped, place + length, plain, place, plain.length - place);
        return stamp(plain, revision);
    }

    private static byte[] field(long revision) {
        return ("\"resourceVersion\":\"" + revision + "\",").getBytes(StandardCharsets.US_ASCII);
    }

    private static int indexOf(byte[] text, byte[] word) {
        outer:
        for (int i = 0; i + word.length <= text.length; i++) {
            for (int j = 0; j < word.length; j++) {
                if (text[i + j] != word[j]) {
                    continue outer;
                }
            }
            return i;
        }
        throw new IllegalStateException("a stored object without metadata");
    }
}
