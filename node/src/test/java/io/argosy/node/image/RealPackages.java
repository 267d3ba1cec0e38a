package io.argosy.node.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The images the tests make of real Debian packages; the packages are kept between runs in the build folder. */
final class RealPackages {
    private static final Path CACHE = Path.of("target", "debian-packages");

    private RealPackages() {}

    static LocalImageStore store(Path root) {
        return LocalImageStore.open(root, () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard());
    }

    static DebianImageBuilder builder(LocalImageStore store) {
        return new DebianImageBuilder(store, CACHE);
    }

    static DebianImageBuilder.Recipe busybox() {
        return new DebianImageBuilder.Recipe(
                "busybox:1.35", List.of("busybox-static"), Map.of(), config(List.of(), List.of("sh")));
    }

    static DebianImageBuilder.Recipe nginx(String tag) {
        return new DebianImageBuilder.Recipe(
                tag, List.of("nginx-light"), Map.of(), config(List.of("nginx", "-g", "daemon off;"), List.of()));
    }

    private static ImageConfig config(List<String> entrypoint, List<String> cmd) {
        return new ImageConfig(List.of(), entrypoint, cmd, "", "", "", List.of(), List.of(), Map.of());
    }
}
