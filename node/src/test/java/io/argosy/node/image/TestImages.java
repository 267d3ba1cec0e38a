package io.argosy.node.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Archives of small images, for tests of what is done with images. */
public final class TestImages {
    private TestImages() {}

    /** An image of this name with one layer that holds one file. */
    public static Path archive(Path file, String name, byte[] content) throws IOException {
        byte[] layer = new Layers().file("content", content).tar();
        byte[] config = Manifests.config(ImageConfig.EMPTY, List.of(Digests.of(layer)));
        String index = "[{\"Config\":\"c.json\",\"RepoTags\":[\"" + name + "\"],\"Layers\":[\"one/layer.tar\"]}]";
        byte[] tar = new Layers()
                .file("one/layer.tar", layer)
                .file("c.json", config)
                .file("manifest.json", index)
                .tar();
        return Files.write(file, tar);
    }
}
