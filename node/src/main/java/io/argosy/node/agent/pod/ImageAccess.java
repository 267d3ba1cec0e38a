package io.argosy.node.agent.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.node.image.Credentials;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageException;
import io.argosy.node.image.ImageStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose the images are that pods had pulled: one that a registry gave for credentials is for pods that bring the same, though it is on
 * the node; whoever brings others must ask the registry. What nobody pulled for a pod is everybody's. Kept in a file, by digests of
 * the credentials with a salt of its own.
 */
public final class ImageAccess {
    private static final Logger LOG = LoggerFactory.getLogger(ImageAccess.class);
    private static final String EVERYBODY = "everybody";

    private final Path file;
    private final Map<String, Set<String>> owners = new HashMap<>();
    private String salt = HexFormat.of().formatHex(new SecureRandom().generateSeed(16));

    /** Images that are no longer here are forgotten. */
    public ImageAccess(Path file, ImageStore images) {
        this.file = file;
        try {
            if (Files.exists(file)) {
                Set<String> here = images.list().stream().map(Image::id).collect(Collectors.toSet());
                JsonNode known = Json.decode(Files.readAllBytes(file));
                salt = known.path("salt").asText(salt);
                known.path("images").properties().forEach(image -> {
                    if (here.contains(image.getKey())) {
                        image.getValue().forEach(owner -> add(image.getKey(), owner.asText()));
                    }
                });
            }
        } catch (IOException | ImageException e) {
            LOG.warn("whose the images are is forgotten, {} cannot be read: {}", file, e.toString());
        }
    }

    /** Whether a pod with these credentials may use the image without asking the registry. */
    synchronized boolean open(String image, List<Credentials> given) {
        Set<String> known = owners.get(image);
        return known == null
                || known.contains(EVERYBODY)
                || given.stream().map(this::digest).anyMatch(known::contains);
    }

    /** The registry gave the image for these credentials, or for none. */
    synchronized void pulled(String image, Credentials used) {
        if (add(image, used.isNone() ? EVERYBODY : digest(used))) {
            try {
                write();
            } catch (IOException e) {
                LOG.warn("whose image {} is cannot be kept: {}", image, e.toString());
            }
        }
    }

    private boolean add(String image, String owner) {
        return owners.computeIfAbsent(image, id -> new TreeSet<>()).add(owner);
    }

    private String digest(Credentials credentials) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : List.of(salt, credentials.username(), credentials.password())) {
                digest.update(part.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void write() throws IOException {
        ObjectNode json = Json.object().put("salt", salt);
        ObjectNode images = json.putObject("images");
        owners.forEach((image, all) -> {
            ArrayNode list = images.putArray(image);
            all.forEach(list::add);
        });
        Files.createDirectories(file.getParent());
        Path draft = file.resolveSibling(file.getFileName() + ".draft");
        Files.deleteIfExists(draft);
        Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(draft, Json.encode(json));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
