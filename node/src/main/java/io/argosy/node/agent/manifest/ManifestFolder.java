package io.argosy.node.agent.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Yaml;
import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder of pod manifests, YAML or JSON, one pod in each file; or one such file alone. Read by one thread at a time. */
final class ManifestFolder {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestFolder.class);

    /** A manifest has to fit an API server's limit too. */
    private static final long LARGEST = 3 << 20;

    private final Path folder;
    private final String node;
    private final PodForm form;
    private final Clock clock;
    private Map<Path, Read> known = Map.of();

    /** A file as it was when it was last read, and the newest pod that was good; none if it never held one. */
    private record Read(byte[] content, Optional<Pod> pod) {}

    ManifestFolder(Path folder, String node, PodForm form, Clock clock) {
        this.folder = folder;
        this.node = node;
        this.form = form;
        this.clock = clock;
    }

    /**
     * The pods of all good files. A file that turns bad while its pod runs is said in the log and leaves the pod as it was; it goes
     * when the file goes. An absent folder holds nothing.
     */
    Map<NamespacedName, Pod> read() throws IOException {
        Map<Path, Read> now = new HashMap<>();
        Map<NamespacedName, Pod> pods = new LinkedHashMap<>();
        for (Path file : files()) {
            Optional<Read> read = read(file);
            if (read.isPresent()) {
                now.put(file, read.get());
                read.get().pod.ifPresent(pod -> take(pods, pod, file));
            }
        }
        known = now;
        return pods;
    }

    private static void take(Map<NamespacedName, Pod> pods, Pod pod, Path file) {
        NamespacedName name = NamespacedName.of(PodFacts.namespace(pod), PodFacts.name(pod));
        if (pods.putIfAbsent(name, pod) != null) {
            LOG.warn("{} is left out: another file of the folder has a pod {} too", file, name);
        }
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(folder)) {
            return Files.isRegularFile(folder) ? List.of(folder) : List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> !file.getFileName().toString().startsWith("."))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (NoSuchFileException _) {
            return List.of();
        }
    }

    /** Empty if the file has gone meanwhile. */
    private Optional<Read> read(Path file) {
        Read before = known.get(file);
        Optional<Pod> running = before == null ? Optional.empty() : before.pod;
        byte[] content = {};
        try {
            if (Files.size(file) > LARGEST) {
                throw new IOException("it is larger than " + LARGEST + " bytes");
            }
            content = Files.readAllBytes(file);
            if (before != null && Arrays.equals(content, before.content)) {
                return Optional.of(before);
            }
            return Optional.of(new Read(content, Optional.of(pod(content, file))));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException | ApiException | IllegalArgumentException e) {
            if (before == null || !Arrays.equals(content, before.content)) {
                LOG.error("Could not process manifest file {}: {}", file, e.getMessage());
            }
            return Optional.of(new Read(content, running));
        }
    }

    private Pod pod(byte[] content, Path file) throws IOException {
        JsonNode tree = Yaml.decode(content);
        if (!(tree instanceof ObjectNode manifest)) {
            throw new IOException("it holds no object");
        }
        return StaticPod.of(manifest, file.toString(), node, form, clock.now());
    }
}
