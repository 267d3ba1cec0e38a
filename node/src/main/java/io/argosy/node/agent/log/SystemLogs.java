package io.argosy.node.agent.log;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The machine's own logs, for those who may read a node's: the files of one folder, and nothing that its links lead to outside of it. */
public final class SystemLogs {
    private static final String PAGE = "text/html; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String BYTES = "application/octet-stream";

    private final Path folder;

    public SystemLogs() {
        this(Path.of("/var/log"));
    }

    SystemLogs(Path folder) {
        this.folder = folder;
    }

    /** A file under way, or a page with the names in a folder. */
    public record Document(String contentType, InputStream content) {}

    /** What is at the path below the folder; empty if it is nothing that can be read. */
    public Optional<Document> open(String path) throws IOException {
        Path found;
        try {
            found = folder.resolve(path.replaceAll("^/+", "")).toRealPath();
        } catch (NoSuchFileException | InvalidPathException e) {
            return Optional.empty();
        }
        if (!found.startsWith(folder.toRealPath())) {
            return Optional.empty();
        }
        if (Files.isDirectory(found)) {
            return Optional.of(new Document(PAGE, new ByteArrayInputStream(names(found))));
        }
        return Files.isRegularFile(found)
                ? Optional.of(new Document(type(found), Files.newInputStream(found)))
                : Optional.empty();
    }

    private static String type(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".gz") || name.endsWith(".journal") ? BYTES : TEXT;
    }

    private static byte[] names(Path folder) throws IOException {
        List<String> names;
        try (Stream<Path> entries = Files.list(folder)) {
            names = entries.map(e -> e.getFileName() + (Files.isDirectory(e) ? "/" : ""))
                    .sorted()
                    .toList();
        }
        StringBuilder page = new StringBuilder("<!doctype html>\n<pre>\n");
        for (String name : names) {
            String shown = name.replace("&", "&amp;")
                    .replace("<", "&lt;")
                    .replace(">", "&gt;")
                    .replace("\"", "&#34;")
                    .replace("'", "&#39;");
            page.append("<a href=\"")
                    .append(link(name))
                    .append("\">")
                    .append(shown)
                    .append("</a>\n");
        }
        return page.append("</pre>\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String link(String name) {
        StringBuilder link = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = Character.isLetterOrDigit(b) && b > 0 || "-._~/".indexOf(b) >= 0;
            link.append(plain ? String.valueOf((char) b) : "%%%02X".formatted(b));
        }
        return link.toString();
    }
}
