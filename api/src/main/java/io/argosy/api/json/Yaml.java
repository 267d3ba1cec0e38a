package io.argosy.api.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.function.Consumer;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.YAMLException;

/** YAML as people write manifests; loaded only when somebody sends some. */
public final class Yaml {
    private static final int MAX_ALIASES = 50;
    private static final YAMLMapper MAPPER = mapper();

    private Yaml() {}

    private static YAMLMapper mapper() {
        LoaderOptions limits = new LoaderOptions();
        limits.setMaxAliasesForCollections(MAX_ALIASES);
        limits.setNestingDepthLimit(200);
        limits.setCodePointLimit(8 << 20);
        return new YAMLMapper(YAMLFactory.builder()
                .loaderOptions(limits)
                .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
                .build());
    }

    public static JsonNode decode(byte[] yaml) throws IOException {
        try {
            return MAPPER.readTree(yaml);
        } catch (YAMLException malformed) {
            throw new IOException(malformed.getMessage(), malformed);
        }
    }

    /** The first document, as it is; of keys that come twice the last one counts, and the listener hears of them in words. */
    public static JsonNode decode(byte[] yaml, Consumer<String> duplicates) throws IOException {
        try (JsonParser parser = MAPPER.createParser(yaml)) {
            TreeReader reader = new TreeReader(
                    parser,
                    (key, path, at) -> duplicates.accept("line "
                            + at.currentTokenLocation().getLineNr() + ": key \"" + key + "\" already set in map"));
            return reader.first();
        } catch (YAMLException malformed) {
            throw new IOException(malformed.getMessage(), malformed);
        }
    }

    public static byte[] encode(JsonNode tree) throws IOException {
        return MAPPER.writeValueAsBytes(tree);
    }
}
