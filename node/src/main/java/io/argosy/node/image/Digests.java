package io.argosy.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digests in the form {@code sha256:<hex>}, by which all content here is named and checked. */
final class Digests {
    private static final String PREFIX = "sha256:";

    private Digests() {}

    static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static String finish(MessageDigest digest) {
        return PREFIX + HexFormat.of().formatHex(digest.digest());
    }

    static String of(byte[] bytes) {
        MessageDigest digest = start();
        digest.update(bytes);
        return finish(digest);
    }

    static String of(Path file) throws IOException {
        MessageDigest digest = start();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return finish(digest);
    }

    static String hex(String digest) {
        if (!ImageReference.isDigest(digest)) {
            throw new ImageException(
                    ImageException.Kind.UNSUPPORTED, "unsupported digest \"" + digest + "\": only sha256 is known");
        }
        return digest.substring(PREFIX.length());
    }
}
