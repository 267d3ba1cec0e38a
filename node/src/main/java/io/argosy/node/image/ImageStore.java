package io.argosy.node.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The images of this node: pulled, imported or made, kept by content, unpacked once per layer.
 *
 * <p>A reference is any docker-style name ({@code nginx:1.7.9}, {@code host:5000/team/app@sha256:...}) or an image id
 * ({@code sha256:...}). Everything here may be called from any thread, and by several processes over one folder; a
 * process killed at any point leaves nothing half-written in use. Failures are {@link ImageException}.
 */
public interface ImageStore extends AutoCloseable {
    /** The image a name or id stands for, if it is here. Never goes to the network. */
    Optional<Image> find(String reference);

    /** Fetches what is missing of an image and unpacks it. Concurrent pulls share the work. */
    Image pull(String reference, Credentials credentials, Progress progress);

    /** Takes in every image of an OCI layout or docker archive (plain, gzip or zstd tar); answers the first. */
    Image importArchive(Path archive, Progress progress);

    /** Writes the image as an OCI layout tar that {@link #importArchive} and other tools read. */
    void exportArchive(String reference, Path archive);

    /** Sends the image to the registry that the destination names; mirrors are never pushed to. */
    void push(String reference, String destination, Credentials credentials, Progress progress);

    /** Gives an image one more name. */
    Image tag(String reference, String newReference);

    List<Image> list();

    /** Forgets a name (or, by id, all names of an image); content nobody names any more is deleted. False if absent. */
    boolean remove(String reference);

    /** Where the images lie. */
    Path root();

    @Override
    void close();
}
