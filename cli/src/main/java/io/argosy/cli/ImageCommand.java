package io.argosy.cli;

import io.argosy.cluster.home.Home;
import io.argosy.node.image.Credentials;
import io.argosy.node.image.DebianImageBuilder;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageConfig;
import io.argosy.node.image.LocalImageStore;
import io.argosy.node.runtime.Signals;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The images that this machine's pods run from. */
@Command(
        name = "image",
        mixinStandardHelpOptions = true,
        description = "Make, import, export, pull, push, tag, list and remove container images.",
        subcommands = HelpCommand.class)
final class ImageCommand {
    private static LocalImageStore open(HomeOption option) {
        Home home = Home.open(option.path());
        return LocalImageStore.open(home.images(), home.registries());
    }

    @Command(name = "ls", mixinStandardHelpOptions = true, description = "List the images on this machine.")
    int ls(@Mixin HomeOption home) {
        try (LocalImageStore store = open(home)) {
            System.out.printf("%-50s %-20s %s%n", "IMAGE", "ID", "SIZE");
            for (Image image : store.list()) {
                List<String> names = image.repoTags().isEmpty() ? image.repoDigests() : image.repoTags();
                for (String name : names) {
                    System.out.printf("%-50s %-20s %s%n", name, image.id().substring(0, 19), size(image.size()));
                }
            }
        }
        return 0;
    }

    @Command(
            name = "make",
            mixinStandardHelpOptions = true,
            description = "Make a small image out of Debian packages; no Docker and no registry needed.",
            footer = {
                "",
                "  argosy image make -t busybox:1.36 --debian busybox-static --cmd sh",
                "  argosy image make -t nginx:1.7.9 --debian nginx-light --entrypoint nginx --cmd -g --cmd 'daemon off;'"
            })
    int make(
            @Mixin HomeOption home,
            @Option(
                            names = {"-t", "--tag"},
                            required = true,
                            description = "Name of the image.")
                    String tag,
            @Option(names = "--debian", paramLabel = "PACKAGE", description = "A Debian package; may be repeated.")
                    List<String> packages,
            @Option(
                            names = "--add",
                            paramLabel = "FILE:PLACE",
                            description = "A file or folder to add; may be repeated.")
                    List<String> files,
            @Option(names = "--entrypoint", description = "A word of the entrypoint; may be repeated.")
                    List<String> entrypoint,
            @Option(names = "--cmd", description = "A word of the default arguments; may be repeated.")
                    List<String> cmd,
            @Option(names = "--env", paramLabel = "K=V", description = "An environment variable; may be repeated.")
                    List<String> env,
            @Option(names = "--workdir", defaultValue = "", description = "The working directory.") String workdir,
            @Option(names = "--user", defaultValue = "", description = "The user to run as.") String user,
            @Option(
                            names = "--stop-signal",
                            defaultValue = "",
                            description = "The signal that ends it, such as SIGINT (default: SIGTERM).")
                    String stopSignal) {
        if (!stopSignal.isEmpty() && !Signals.isKnown(stopSignal)) {
            System.err.println("--stop-signal takes the name or number of a signal, not \"" + stopSignal + "\".");
            return 2;
        }
        Map<String, Path> added = new LinkedHashMap<>();
        for (String file : orEmpty(files)) {
            int colon = file.lastIndexOf(':');
            if (colon <= 0) {
                System.err.println("--add takes FILE:PLACE, not \"" + file + "\".");
                return 2;
            }
            added.put(file.substring(colon + 1), Path.of(file.substring(0, colon)));
        }
        ImageConfig config = new ImageConfig(
                orEmpty(env),
                orEmpty(entrypoint),
                orEmpty(cmd),
                user,
                workdir,
                stopSignal,
                List.of(),
                List.of(),
                Map.of());
        try (LocalImageStore store = open(home)) {
            DebianImageBuilder builder =
                    new DebianImageBuilder(store, Home.open(home.path()).packageCache());
            Image image = builder.make(
                    new DebianImageBuilder.Recipe(tag, orEmpty(packages), added, config), new ProgressLine());
            System.out.println("Made " + tag + " (" + size(image.size()) + ").");
        }
        return 0;
    }

    @Command(
            name = "import",
            mixinStandardHelpOptions = true,
            description = "Take in the images of an archive: OCI layout or 'docker save'.")
    int importArchive(@Mixin HomeOption home, @Parameters(paramLabel = "FILE.tar") Path archive) {
        try (LocalImageStore store = open(home)) {
            Image image = store.importArchive(archive, new ProgressLine());
            System.out.println("Imported " + String.join(", ", image.repoTags()) + ".");
        }
        return 0;
    }

    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description = "Write an image into an archive that 'image import' and other tools read.")
    int exportArchive(
            @Mixin HomeOption home,
            @Parameters(paramLabel = "IMAGE") String image,
            @Parameters(paramLabel = "FILE.tar") Path archive) {
        try (LocalImageStore store = open(home)) {
            store.exportArchive(image, archive);
            System.out.println("Exported " + image + " to " + archive + ".");
        }
        return 0;
    }

    @Command(name = "pull", mixinStandardHelpOptions = true, description = "Fetch an image from a registry.")
    int pull(
            @Mixin HomeOption home,
            @Parameters(paramLabel = "IMAGE") String image,
            @Option(names = "--user", defaultValue = "", description = "User name at the registry.") String user,
            @Option(
                            names = "--password",
                            defaultValue = "",
                            interactive = true,
                            arity = "0..1",
                            description = "Password.")
                    String password) {
        try (LocalImageStore store = open(home)) {
            Image pulled = store.pull(image, new Credentials(user, password), new ProgressLine());
            System.out.println("Pulled " + image + " (" + size(pulled.size()) + ").");
        }
        return 0;
    }

    @Command(name = "push", mixinStandardHelpOptions = true, description = "Send an image to a registry.")
    int push(
            @Mixin HomeOption home,
            @Parameters(paramLabel = "IMAGE") String image,
            @Parameters(paramLabel = "DESTINATION", arity = "0..1", description = "Name at the registry, if another.")
                    String destination) {
        String target = destination == null ? image : destination;
        try (LocalImageStore store = open(home)) {
            store.push(image, target, Credentials.NONE, new ProgressLine());
            System.out.println("Pushed " + target + ".");
        }
        return 0;
    }

    @Command(name = "tag", mixinStandardHelpOptions = true, description = "Give an image another name.")
    int tag(
            @Mixin HomeOption home,
            @Parameters(paramLabel = "IMAGE") String image,
            @Parameters(paramLabel = "NAME") String name) {
        try (LocalImageStore store = open(home)) {
            store.tag(image, name);
            System.out.println("Tagged " + image + " as " + name + ".");
        }
        return 0;
    }

    @Command(name = "rm", mixinStandardHelpOptions = true, description = "Remove an image.")
    int rm(@Mixin HomeOption home, @Parameters(paramLabel = "IMAGE") String image) {
        try (LocalImageStore store = open(home)) {
            if (!store.remove(image)) {
                System.err.println("There is no image " + image + " here.");
                return 1;
            }
        }
        return 0;
    }

    private static List<String> orEmpty(List<String> values) {
        return values == null ? List.of() : values;
    }

    private static String size(long bytes) {
        return bytes < 10 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }
}
