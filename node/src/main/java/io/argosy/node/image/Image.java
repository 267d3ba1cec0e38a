package io.argosy.node.image;

import java.nio.file.Path;
import java.util.List;

/**
 * An image present on this node, ready to run: its layers are unpacked folders that serve as overlayfs lower folders.
 *
 * @param id the digest of the config ("sha256:..."), what Kubernetes calls the image id
 * @param repoTags the full names that point here, such as {@code docker.io/library/nginx:1.7.9}
 * @param repoDigests the names by manifest digest, such as {@code docker.io/library/nginx@sha256:...}
 * @param size bytes of the config and the compressed layers
 * @param layers the unpacked layers, lowest first
 */
public record Image(
        String id, List<String> repoTags, List<String> repoDigests, long size, List<Path> layers, ImageConfig config) {
    public Image {
        repoTags = List.copyOf(repoTags);
        repoDigests = List.copyOf(repoDigests);
        layers = List.copyOf(layers);
    }
}
