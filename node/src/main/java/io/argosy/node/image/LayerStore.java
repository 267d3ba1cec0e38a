package io.argosy.node.image;

import com.github.luben.zstd.ZstdInputStream;
import io.argosy.node.files.Trees;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/** The unpacked layers, each unpacked once however many images use it, and named by the digest of its plain tar. */
final class LayerStore {
    private static final int BUFFER = 256 * 1024;

    private final StoreFolder folder;
    private final UnpackPolicy policy;
    private final SingleFlight<String, Path> unpacking = new SingleFlight<>();

    LayerStore(StoreFolder folder, UnpackPolicy policy) {
        this.folder = folder;
        this.policy = policy;
    }

    boolean has(String diffId) {
        return Files.isDirectory(folder.layer(diffId));
    }

    /** The folder of a layer, unpacked from its blob if it is not there yet. */
    Path unpack(String diffId, Path blob) {
        Path target = folder.layer(diffId);
        if (Files.isDirectory(target)) {
            return target;
        }
        return unpacking.run(diffId, () -> {
            if (!Files.isDirectory(target)) {
                unfold(diffId, blob, target);
            }
            return target;
        });
    }

    private void unfold(String diffId, Path blob, Path target) {
        try {
            Path draft = Files.createDirectory(folder.fresh());
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
            try {
                fill(draft, diffId, blob);
                folder.publishFolder(draft, target);
            } finally {
                Trees.delete(draft);
            }
        } catch (Posix.Failure e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE, "failed to extract layer " + diffId + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.CORRUPT, "failed to extract layer " + diffId + ": " + e.getMessage(), e);
        }
    }

    private void fill(Path draft, String diffId, Path blob) throws IOException {
        MessageDigest digest = Digests.start();
        try (InputStream raw = Files.newInputStream(blob);
                InputStream tar = new DigestInputStream(plain(raw), digest);
                LayerUnpacker unpacker = new LayerUnpacker(draft, policy)) {
            unpacker.unpack(tar);
            String actual = Digests.finish(digest);
            if (!actual.equals(diffId)) {
                throw new IOException("wrong diff id calculated on extraction \"" + actual + "\"");
            }
            unpacker.sync();
        }
    }

    /** The tar within, whichever way it is compressed; told by its first bytes, as media types are often wrong. */
    static InputStream plain(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BUFFER);
        in.mark(4);
        byte[] magic = in.readNBytes(4);
        in.reset();
        return switch (compression(magic)) {
            case "+gzip" ->
                new BufferedInputStream(
                        GzipCompressorInputStream.builder()
                                .setInputStream(in)
                                .setDecompressConcatenated(true)
                                .get(),
                        BUFFER);
            case "+zstd" -> new BufferedInputStream(new ZstdInputStream(in), BUFFER);
            default -> in;
        };
    }

    /** The ending a layer's media type carries for the compression its first bytes show. */
    static String compression(byte[] magic) {
        if (magic.length >= 2 && (magic[0] & 0xff) == 0x1f && (magic[1] & 0xff) == 0x8b) {
            return "+gzip";
        }
        boolean zstd = magic.length >= 4
                && (magic[0] & 0xff) == 0x28
                && (magic[1] & 0xff) == 0xb5
                && (magic[2] & 0xff) == 0x2f
                && (magic[3] & 0xff) == 0xfd;
        return zstd ? "+zstd" : "";
    }
}
