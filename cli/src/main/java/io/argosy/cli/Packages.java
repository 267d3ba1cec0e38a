package io.argosy.cli;

import io.argosy.cluster.home.HomeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The programs that real containers need, and how to get them on Debian. */
final class Packages {
    private static final List<Path> FOLDERS = List.of(
            Path.of("/usr/sbin"),
            Path.of("/usr/bin"),
            Path.of("/sbin"),
            Path.of("/bin"),
            Path.of("/usr/local/bin"),
            Path.of("/usr/local/sbin"),
            Path.of("/usr/lib/cni"),
            Path.of("/usr/libexec/cni"),
            Path.of("/opt/cni/bin"));

    private static final Map<String, String> PACKAGE_OF = new LinkedHashMap<>();

    static {
        PACKAGE_OF.put("runc", "runc");
        PACKAGE_OF.put("conmon", "conmon");
        PACKAGE_OF.put("host-local", "containernetworking-plugins");
        PACKAGE_OF.put("nft", "nftables");
        PACKAGE_OF.put("ip", "iproute2");
    }

    private Packages() {}

    static boolean isLinux() {
        return System.getProperty("os.name").equals("Linux");
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Installs what is missing, and says so first; or says what is missing and how to get it. */
    static void ensure() throws InterruptedException {
        List<String> missing = missing();
        if (missing.isEmpty()) {
            return;
        }
        String names = String.join(" ", missing);
        if (!Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            throw new HomeException("These programs are missing and this is no Debian to install them on: " + names
                    + ". Install them, or use --runtime simulated.");
        }
        System.out.println("Installing with apt-get: " + names);
        if (run("apt-get", "update") != 0
                || run(installCommand(missing)) != 0
                || !missing().isEmpty()) {
            throw new HomeException("apt-get could not install " + names + ": try 'apt-get install " + names
                    + "' yourself, or use --runtime simulated.");
        }
    }

    private static List<String> missing() {
        List<String> missing = new ArrayList<>();
        PACKAGE_OF.forEach((program, debianPackage) -> {
            if (FOLDERS.stream().noneMatch(folder -> Files.isExecutable(folder.resolve(program)))) {
                missing.add(debianPackage);
            }
        });
        return missing;
    }

    private static String[] installCommand(List<String> packages) {
        List<String> command = new ArrayList<>(List.of("apt-get", "install", "-y", "-qq", "--no-install-recommends"));
        command.addAll(packages);
        return command.toArray(String[]::new);
    }

    private static int run(String... command) throws InterruptedException {
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
            builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
            return builder.start().waitFor();
        } catch (IOException e) {
            throw new HomeException(command[0] + " could not be run: " + e.getMessage() + ".", e);
        }
    }
}
