package io.argosy.node.agent.env;

import io.argosy.node.files.Beneath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of variables in a volume, {@code NAME='value'} each: a part of what shells read, in which a value may have many lines. */
final class EnvFile {
    private static final Logger LOG = LoggerFactory.getLogger(EnvFile.class);

    private static final long MOST_BYTES = 1 << 20;

    private final List<String> lines;
    private int at;

    private EnvFile(List<String> lines) {
        this.lines = lines;
    }

    /** The value of the variable, empty if it has none. Throws {@link ConfigException} when the file is not there or not such a file. */
    static String read(Path volume, String path, String name) {
        try (Beneath root = Beneath.folder(volume);
                Beneath file = root.open(path)) {
            if (!Files.isRegularFile(file.path()) || Files.size(file.path()) > MOST_BYTES) {
                throw new IOException("no file, or too large a one");
            }
            return new EnvFile(Files.readAllLines(file.path(), StandardCharsets.UTF_8)).find(name);
        } catch (IOException | IllegalArgumentException e) {
            // What the file holds is the container's business, and nothing for an event.
            LOG.warn("{} in {}: {}", path, volume, e.toString());
            throw new ConfigException("couldn't parse env file");
        }
    }

    private String find(String wanted) {
        for (; at < lines.size(); at++) {
            String line = lines.get(at).replaceFirst("^[ \\t]+", "");
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int equals = line.indexOf('=');
            String name = equals < 0 ? "" : line.substring(0, equals);
            if (name.isEmpty() || name.endsWith(" ") || name.endsWith("\t")) {
                throw bad("no variable");
            }
            String value = value(line.substring(equals + 1));
            if (name.equals(wanted)) {
                return value;
            }
        }
        return "";
    }

    /** After a space nothing belongs to the value, as in a shell. */
    private String value(String text) {
        if (text.startsWith(" ") || text.startsWith("\t")) {
            return "";
        }
        if (!text.startsWith("'")) {
            throw bad("value must be enclosed in single quotes");
        }
        StringBuilder value = new StringBuilder();
        String rest = text.substring(1);
        int close = rest.indexOf('\'');
        while (close < 0) {
            value.append(rest).append('\n');
            if (++at == lines.size()) {
                throw bad("unclosed single quote");
            }
            rest = lines.get(at);
            close = rest.indexOf('\'');
        }
        String after = rest.substring(close + 1).strip();
        if (!after.isEmpty() && !after.startsWith("#")) {
            throw bad("unexpected content after closing quote");
        }
        return value.append(rest, 0, close).toString();
    }

    private IllegalArgumentException bad(String why) {
        return new IllegalArgumentException("line " + (at + 1) + ": " + why);
    }
}
