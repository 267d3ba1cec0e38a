package io.argosy.node.image;

import io.argosy.node.files.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Makes a small image out of Debian packages, with neither Docker nor a registry, so that a tour or a test needs nothing
 * but the distribution's packages. The same packages give the same image id, wherever it is made.
 */
public final class DebianImageBuilder {
    private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final LocalImageStore store;
    private final DebianPackages packages;

    /** Packages are fetched into the cache folder, and come from there when they are needed again. */
    public DebianImageBuilder(LocalImageStore store, Path cache) {
        this.store = store;
        this.packages = new DebianPackages(cache);
    }

    /**
     * What to make.
     *
     * @param tag the name of the image
     * @param packages Debian packages; what they depend on comes along
     * @param files files and folders of this machine, by the place in the image they go to
     * @param config how the image is to be run; a PATH is added if the environment has none
     */
    public record Recipe(String tag, List<String> packages, Map<String, Path> files, ImageConfig config) {
        public Recipe {
            packages = List.copyOf(packages);
            files = Map.copyOf(files);
        }
    }

    public Image make(Recipe recipe, Progress progress) {
        ImageReference name = ImageReference.parse(recipe.tag());
        if (recipe.packages().isEmpty() && recipe.files().isEmpty()) {
            throw new ImageException(
                    ImageException.Kind.INVALID_NAME, "an image needs at least one Debian package or file");
        }
        try {
            List<Path> files = recipe.packages().isEmpty() ? List.of() : packages.fetch(recipe.packages(), progress);
            Path draft = Files.createDirectory(store.folder().fresh());
            try {
                build(recipe, files, draft, progress);
                progress.update(Progress.Phase.PACKING, name.toString(), 0, -1);
                Path layer = store.folder().fresh();
                String diffId = LayerWriter.compress(draft.resolve("root"), layer);
                Image image = store.install(name, layer, diffId, withPath(recipe.config()));
                progress.update(Progress.Phase.DONE, name.toString(), image.size(), image.size());
                return image;
            } finally {
                Trees.delete(draft);
            }
        } catch (ImageException e) {
            throw new ImageException(e.kind(), "failed to make image \"" + name + "\": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE, "failed to make image \"" + name + "\": " + e.getMessage(), e);
        }
    }

    private static void build(Recipe recipe, List<Path> files, Path draft, Progress progress) throws IOException {
        Path root = Files.createDirectory(draft.resolve("root"));
        DebianRootfs rootfs = new DebianRootfs(root);
        rootfs.prepare();
        List<String> names = new ArrayList<>();
        for (Path file : files) {
            String name = file.getFileName().toString().replaceFirst("_.*", "");
            rootfs.unpack(file);
            names.add(name);
            progress.update(Progress.Phase.INSTALLING, name, names.size(), files.size());
        }
        rootfs.finish(names);
        if (!recipe.files().isEmpty()) {
            Path stage = Files.createDirectory(draft.resolve("stage"));
            for (Map.Entry<String, Path> file : recipe.files().entrySet()) {
                rootfs.add(file.getValue(), file.getKey(), stage);
            }
            rootfs.merge(stage);
        }
    }

    private static ImageConfig withPath(ImageConfig config) {
        if (config.env().stream().anyMatch(line -> line.startsWith("PATH="))) {
            return config;
        }
        List<String> env = new ArrayList<>(List.of(PATH));
        env.addAll(config.env());
        return new ImageConfig(
                env,
                config.entrypoint(),
                config.cmd(),
                config.user(),
                config.workingDir(),
                config.stopSignal(),
                config.exposedPorts(),
                config.volumes(),
                config.labels());
    }
}
