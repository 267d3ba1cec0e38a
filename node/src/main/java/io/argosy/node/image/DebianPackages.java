package io.argosy.node.image;

import io.argosy.node.files.Privilege;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what a set of Debian packages needs to run on an empty machine, and fetches it into a folder of its own with apt;
 * what was fetched once serves again without a network.
 */
final class DebianPackages {
    private static final Logger LOG = LoggerFactory.getLogger(DebianPackages.class);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?(=[A-Za-z0-9.+:~-]+)?");
    private static final Pattern PLANNED = Pattern.compile("^Inst (\\S+) \\((\\S+) .*\\[(\\S+)]\\)", Pattern.MULTILINE);
    private static final Path LISTS = Path.of("/var/lib/apt/lists");
    private static final Duration FETCH = Duration.ofMinutes(15);
    private static final Duration UPDATE = Duration.ofMinutes(3);

    private final Path cache;
    private final Path archives;

    DebianPackages(Path cache) {
        this.cache = cache.toAbsolutePath();
        this.archives = this.cache.resolve("archives");
    }

    /** The package files of the packages and all they depend on, in the order apt would unpack them. */
    List<Path> fetch(List<String> packages, Progress progress) throws IOException {
        for (String name : packages) {
            if (!NAME.matcher(name).matches()) {
                throw new ImageException(
                        ImageException.Kind.INVALID_NAME, "\"" + name + "\" is not the name of a Debian package");
            }
        }
        Files.createDirectories(archives.resolve("partial"));
        Files.createDirectories(cache.resolve("plans"));
        synchronized (DebianPackages.class) {
            try (FileChannel channel = FileChannel.open(
                            cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                LOG.debug("holding {}", lock);
                return fetchAlone(packages, progress);
            }
        }
    }

    private List<Path> fetchAlone(List<String> packages, Progress progress) throws IOException {
        Path plan = cache.resolve("plans")
                .resolve(Digests.hex(Digests.of(String.join(" ", packages).getBytes(StandardCharsets.UTF_8))));
        List<Path> earlier = earlier(plan);
        if (!earlier.isEmpty() && newerThanTheLists(plan)) {
            return earlier;
        }
        try {
            List<String> names = plan(packages);
            progress.update(Progress.Phase.DOWNLOADING, String.join(" ", packages), 0, names.size());
            List<Path> files = names.stream().map(archives::resolve).toList();
            if (!files.stream().allMatch(Files::exists)) {
                Tool.run(FETCH, apt(packages, "--download-only"));
            }
            for (Path file : files) {
                if (!Files.exists(file)) {
                    throw new ImageException(ImageException.Kind.STORAGE, "apt-get did not bring " + file);
                }
            }
            Files.write(plan, names);
            progress.update(Progress.Phase.DOWNLOADING, String.join(" ", packages), names.size(), names.size());
            return files;
        } catch (ImageException e) {
            if (earlier.isEmpty()) {
                throw e;
            }
            LOG.info("using the packages fetched earlier for {}: {}", packages, e.getMessage());
            return earlier;
        }
    }

    /** The files an earlier plan brought; empty if there is none or some of them are gone. */
    private List<Path> earlier(Path plan) throws IOException {
        if (!Files.exists(plan)) {
            return List.of();
        }
        List<Path> files =
                Files.readAllLines(plan).stream().map(archives::resolve).toList();
        return files.stream().allMatch(Files::exists) ? files : List.of();
    }

    /** Whether the package lists are as they were at the time of the plan, so that apt would plan the same again. */
    private static boolean newerThanTheLists(Path plan) throws IOException {
        return !Files.exists(LISTS) || Files.getLastModifiedTime(plan).compareTo(Files.getLastModifiedTime(LISTS)) > 0;
    }

    private List<String> plan(List<String> packages) throws IOException {
        String simulation;
        try {
            simulation = Tool.run(UPDATE, apt(packages, "--simulate"));
        } catch (ImageException e) {
            if (e.kind() != ImageException.Kind.NOT_FOUND || !Privilege.isRoot()) {
                throw e;
            }
            LOG.info("refreshing the package lists: {}", e.getMessage());
            Tool.run(UPDATE, List.of("apt-get", "-q", "update"));
            simulation = Tool.run(UPDATE, apt(packages, "--simulate"));
        }
        List<String> names = new ArrayList<>();
        Matcher matcher = PLANNED.matcher(simulation);
        while (matcher.find()) {
            String name = matcher.group(1).replaceFirst(":.*", "");
            names.add(name + "_" + matcher.group(2).replace(":", "%3a") + "_" + matcher.group(3) + ".deb");
        }
        if (names.isEmpty()) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, "apt-get plans to install nothing for " + packages);
        }
        return names;
    }

    private List<String> apt(List<String> packages, String mode) throws IOException {
        Path status = cache.resolve("status");
        if (!Files.exists(status)) {
            Files.createFile(status);
        }
        List<String> command = new ArrayList<>(List.of("apt-get", "-q", "-y", "--no-install-recommends", mode));
        for (String option : List.of(
                "Dir::State::status=" + status,
                "Dir::Cache=" + cache,
                "Dir::Cache::archives=" + archives,
                "Debug::NoLocking=1",
                "APT::Sandbox::User=root",
                "Acquire::Retries=2",
                "Acquire::http::Timeout=20")) {
            command.add("-o");
            command.add(option);
        }
        command.add("install");
        command.add("--");
        command.addAll(packages);
        return command;
    }
}
