package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.node.files.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One kind of record, a folder each, in memory and on disk alike; the disk is written first. */
final class Ledger<R> {
    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);
    private static final String FILE = "record.json";

    private final Path folder;
    private final Function<R, String> id;
    private final Function<R, JsonNode> toJson;
    private final Map<String, R> records = new ConcurrentHashMap<>();

    Ledger(Path folder, Function<R, String> id, Function<R, JsonNode> toJson) {
        this.folder = folder;
        this.id = id;
        this.toJson = toJson;
    }

    /** Reads what is on disk and names the folders that hold no record: made, but not yet written down. */
    List<String> load(Function<JsonNode, R> fromJson) throws IOException {
        Files.createDirectories(folder);
        List<String> unrecorded = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                Path file = entry.resolve(FILE);
                Optional<JsonNode> json = readable(file);
                if (json.isPresent()) {
                    R read = fromJson.apply(json.get());
                    records.put(id.apply(read), read);
                } else {
                    unrecorded.add(entry.getFileName().toString());
                }
            }
        }
        return unrecorded;
    }

    private static Optional<JsonNode> readable(Path file) throws IOException {
        try {
            JsonNode json = Json.read(file);
            return json.isObject() ? Optional.of(json) : Optional.empty();
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (JsonProcessingException e) {
            LOG.warn("{} cannot be read and what it describes is removed: {}", file, e.getOriginalMessage());
            return Optional.empty();
        }
    }

    Path folder(String recordId) {
        return folder.resolve(recordId);
    }

    Optional<R> get(String recordId) {
        return Optional.ofNullable(records.get(recordId));
    }

    Collection<R> all() {
        return List.copyOf(records.values());
    }

    void put(R entry) {
        String recordId = id.apply(entry);
        try {
            Files.createDirectories(folder(recordId));
            Json.write(folder(recordId).resolve(FILE), toJson.apply(entry));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        records.put(recordId, entry);
    }

    /** Removes the folder, the record file last, and forgets it. */
    void remove(String recordId) throws IOException {
        Path target = folder(recordId);
        Path file = target.resolve(FILE);
        deleteContent(target, file);
        Files.deleteIfExists(file);
        Files.deleteIfExists(target);
        records.remove(recordId);
    }

    private static void deleteContent(Path folder, Path spared) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> content = Files.list(folder)) {
            for (Path entry : content.filter(path -> !path.equals(spared)).toList()) {
                Trees.delete(entry);
            }
        }
    }
}
