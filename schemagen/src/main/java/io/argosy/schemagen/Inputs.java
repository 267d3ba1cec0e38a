package io.argosy.schemagen;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** What the output depends on, kept in a file so that a build without changes does not make it anew. */
record Inputs(String fingerprint) {

    /** The table, this program as it is, and the published artifacts, whose file names tell their versions. */
    static Inputs of(Path table) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(table));
            try (Stream<Path> own = Files.walk(location(Inputs.class))) {
                for (Path file : own.filter(Files::isRegularFile).sorted().toList()) {
                    digest.update(Files.readAllBytes(file));
                }
            }
            StringBuilder text = new StringBuilder(HexFormat.of().formatHex(digest.digest()));
            for (Class<?> type :
                    List.of(io.kubernetes.client.proto.Meta.class, io.kubernetes.client.openapi.models.V1Pod.class)) {
                text.append('\n').append(location(type).getFileName());
            }
            return new Inputs(text.toString());
        } catch (NoSuchAlgorithmException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean sameAs(Path stamp) throws IOException {
        return Files.exists(stamp) && Files.readString(stamp).equals(fingerprint);
    }

    void remember(Path stamp) throws IOException {
        Files.writeString(stamp, fingerprint);
    }

    private static Path location(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
