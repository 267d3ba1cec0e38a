package io.argosy.operators.snapshot;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Looks at a snapshot while it passes. What etcd sends is its database, whole pages of it, and after them the SHA-256 of all that: a
 * snapshot that was cut off, changed, or is something else does not end with its own hash.
 */
public final class SnapshotCheck extends FilterOutputStream {
    private static final int HASH = 32;
    private static final int PAGE = 512;
    /** Where the first page of a bolt database says what it is, and what it says. */
    private static final int MAGIC_AT = 16;

    private static final byte[] MAGIC = HexFormat.of().parseHex("edda0ced");

    private final MessageDigest digest;
    private final byte[] head = new byte[MAGIC_AT + MAGIC.length];
    private final byte[] tail = new byte[HASH];
    private int held;
    private long size;

    public SnapshotCheck(OutputStream next) {
        super(next);
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a good snapshot is. */
    public record Facts(long size, String sha256) {}

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        for (int i = 0; size + i < head.length && i < length; i++) {
            head[(int) size + i] = bytes[offset + i];
        }
        size += length;
        if (length >= HASH) {
            digest.update(tail, 0, held);
            digest.update(bytes, offset, length - HASH);
            System.arraycopy(bytes, offset + length - HASH, tail, 0, HASH);
            held = HASH;
            return;
        }
        int surplus = Math.max(0, held + length - HASH);
        digest.update(tail, 0, surplus);
        System.arraycopy(tail, surplus, tail, 0, held - surplus);
        System.arraycopy(bytes, offset, tail, held - surplus, length);
        held = held - surplus + length;
    }

    /** What passed, if it was a whole snapshot. */
    public Facts finish() throws SnapshotException {
        if (!Arrays.equals(head, MAGIC_AT, head.length, MAGIC, 0, MAGIC.length)) {
            throw new SnapshotException(
                    "SnapshotForeign", "these " + size + " bytes are no snapshot of etcd: they do not begin like one");
        }
        byte[] hash = digest.digest();
        if (size % PAGE != HASH || !Arrays.equals(hash, tail)) {
            throw new SnapshotException(
                    "SnapshotDamaged",
                    "the snapshot of " + size + " bytes does not end with its own SHA-256: it was cut off or changed,"
                            + " or is a member's database file and not a snapshot");
        }
        return new Facts(size, HexFormat.of().formatHex(hash));
    }
}
