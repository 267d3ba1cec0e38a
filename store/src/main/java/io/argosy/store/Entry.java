package io.argosy.store;

import java.util.Arrays;

/** One version of a key: its value, the revision that created the key and the one that wrote this version. */
@SuppressWarnings("ArrayRecordComponent") // encoded once, shared by all who send it; Store says that nobody changes it
public record Entry(String key, byte[] value, long createRevision, long modRevision) {
    @Override
    public boolean equals(Object other) {
        return other instanceof Entry that
                && modRevision == that.modRevision
                && createRevision == that.createRevision
                && key.equals(that.key)
                && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return 31 * key.hashCode() + Long.hashCode(modRevision);
    }

    @Override
    public String toString() {
        return key + "@" + modRevision + " (created " + createRevision + ", " + value.length + " bytes)";
    }
}
