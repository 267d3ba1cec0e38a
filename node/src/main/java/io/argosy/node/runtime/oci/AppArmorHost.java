package io.argosy.node.runtime.oci;

import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.SecurityContext.AppArmor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * AppArmor on this host, if the kernel has it: which profile a container gets. Where there is AppArmor everything that is not
 * privileged is confined, by our own profile if by no other, as containerd does; it is loaded when the first container needs it.
 */
final class AppArmorHost {
    static final String DEFAULT_PROFILE = "argosy-default";
    private static final Path ENABLED = Path.of("sys/module/apparmor/parameters/enabled");
    private static final Path LOADED = Path.of("sys/kernel/security/apparmor/profiles");

    private final Path root;
    private final Consumer<String> loader;

    /** The files of the kernel below this root; the loader takes the text of a profile. */
    AppArmorHost(Path root, Consumer<String> loader) {
        this.root = root;
        this.loader = loader;
    }

    static AppArmorHost system() {
        return new AppArmorHost(Path.of("/"), AppArmorHost::load);
    }

    boolean enabled() {
        try {
            return Files.readString(root.resolve(ENABLED)).startsWith("Y") && Files.exists(root.resolve(LOADED));
        } catch (IOException _) {
            return false; // the kernel has no such module
        }
    }

    /** The profile that goes into config.json; none for what is not confined. */
    Optional<String> profile(SecurityContext security) throws IOException {
        boolean enabled = enabled();
        return switch (security.appArmor()) {
            case AppArmor.Unconfined _ -> Optional.empty();
            case AppArmor.RuntimeDefault _ -> {
                if (!enabled || security.privileged()) {
                    yield Optional.empty();
                }
                if (!loaded(DEFAULT_PROFILE)) {
                    loader.accept(text());
                }
                yield Optional.of(DEFAULT_PROFILE);
            }
            case AppArmor.Localhost(String name) -> {
                if (!enabled) {
                    throw new RuntimeFailure(
                            RuntimeFailure.Kind.INVALID,
                            "failed to generate apparmor spec opts: apparmor is not supported");
                }
                if (!loaded(name)) {
                    throw new RuntimeFailure(
                            RuntimeFailure.Kind.INVALID,
                            "failed to generate apparmor spec opts: apparmor profile not found " + name);
                }
                yield Optional.of(name);
            }
        };
    }

    /** The kernel names one profile in a line, with its mode in brackets behind. */
    private boolean loaded(String name) throws IOException {
        return Files.readAllLines(root.resolve(LOADED)).stream().anyMatch(line -> line.startsWith(name + " ("));
    }

    private static String text() throws IOException {
        try (var in = AppArmorHost.class.getResourceAsStream("apparmor.profile")) {
            if (in == null) {
                throw new NoSuchFileException("apparmor.profile");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void load(String text) {
        Commands.Outcome outcome = Commands.run(List.of("apparmor_parser", "--replace"), text, Map.of());
        if (!outcome.ok()) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.FAILED,
                    "cannot load the AppArmor profile " + DEFAULT_PROFILE + ": " + outcome.complaint());
        }
    }
}
