package io.argosy.operators;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Snapshots as far as anybody looks who has no etcd: pages that begin like a database, a revision among them, and the hash of it all. */
public final class Snapshots {
    private static final int PAGE = 512;
    private static final int MAGIC_AT = 16;
    private static final int MAGIC = 0xED0CDAED;
    private static final int REVISION_AT = 64;

    private Snapshots() {}

    public static byte[] at(long revision) {
        return at(revision, 3 * PAGE);
    }

    public static byte[] at(long revision, int size) {
        ByteBuffer pages = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        pages.putInt(MAGIC_AT, MAGIC).putLong(REVISION_AT, revision);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(pages.array());
            return ByteBuffer.allocate(size + hash.length)
                    .put(pages.array())
                    .put(hash)
                    .array();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    public static long revision(byte[] snapshot) {
        return ByteBuffer.wrap(snapshot).order(ByteOrder.LITTLE_ENDIAN).getLong(REVISION_AT);
    }
}
