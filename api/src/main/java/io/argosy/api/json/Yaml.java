package io.argosy.api.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.YAMLException;

/** YAML as people write manifests; loaded only when somebody sends some. */
public final class Yaml {
    private static final int MAX_ALIASES = 50;

    /** Tabs that begin a line, after blanks maybe. */
    private static final Pattern INDENT = Pattern.compile("(?m)^[ \t]*\t[ \t]*");

    private static final YAMLMapper MAPPER = mapper();

    private Yaml() {}

    private static YAMLMapper mapper() {
        LoaderOptions limits = new LoaderOptions();
        limits.setMaxAliasesForCollections(MAX_ALIASES);
        limits.setNestingDepthLimit(200);
        limits.setCodePointLimit(8 << 20);
        return new YAMLMapper(new YamlReading(
                YAMLFactory.builder().loaderOptions(limits).enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)));
    }

    public static JsonNode decode(byte[] yaml) throws IOException {
        return decode(yaml, twice -> {});
    }

    /** The first document, as it is; of keys that come twice the last one counts, and the listener hears of them in words. */
    public static JsonNode decode(byte[] yaml, Consumer<String> duplicates) throws IOException {
        try {
            return read(yaml, duplicates);
        } catch (IOException malformed) {
            // Almost JSON, such as with a comma too many, and indented by tabs: others take them between brackets.
            String text = new String(yaml, StandardCharsets.UTF_8);
            if (text.indexOf('\t') < 0 || !text.stripLeading().startsWith("{")) {
                throw malformed;
            }
            return read(INDENT.matcher(text).replaceAll(" ").getBytes(StandardCharsets.UTF_8), duplicates);
        }
    }

    private static JsonNode read(byte[] yaml, Consumer<String> duplicates) throws IOException {
        try (YamlReading.Parser parser =
                (YamlReading.Parser) MAPPER.getFactory().createParser(yaml)) {
            TreeReader reader = new TreeReader(
                    parser,
                    (key, path, at) -> duplicates.accept("line "
                            + at.currentTokenLocation().getLineNr() + ": key \"" + key + "\" already set in map"),
                    new Anchors(parser));
            return reader.first();
        } catch (YAMLException malformed) {
            throw new IOException(malformed.getMessage(), malformed);
        }
    }

    public static byte[] encode(JsonNode tree) throws IOException {
        return MAPPER.writeValueAsBytes(tree);
    }
}
