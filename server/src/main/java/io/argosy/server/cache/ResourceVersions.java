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
        byte[] field = ("\"resourceVersion\":\"" + revision + "\",").getBytes(StandardCharsets.US_ASCII);
        byte[] stamped = new byte[json.length + field.length];
        System.arraycopy(json, 0, stamped, 0, place);
        System.arraycopy(field, 0, stamped, place, field.length);
        System.arraycopy(json, place, stamped, place + field.length, json.length - place);
        return stamped;
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
