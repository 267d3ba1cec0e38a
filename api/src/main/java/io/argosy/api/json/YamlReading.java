package io.argosy.api.json;

import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactoryBuilder;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.Reader;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.events.NodeEvent;

/** Makes parsers that tell the name of every value, where the library's own tell it of lists and objects only. */
final class YamlReading extends YAMLFactory {
    private static final long serialVersionUID = 1;

    YamlReading(YAMLFactoryBuilder settings) {
        super(settings);
    }

    @Override
    protected YAMLParser _createParser(byte[] data, int offset, int length, IOContext context) throws IOException {
        return new Parser(
                context,
                _parserFeatures,
                _yamlParserFeatures,
                _loaderOptions,
                _objectCodec,
                _createReader(data, offset, length, null, context));
    }

    /** Reads one document. */
    static final class Parser extends YAMLParser {
        Parser(IOContext context, int features, int ofYaml, LoaderOptions limits, ObjectCodec codec, Reader text) {
            super(context, features, ofYaml, limits, codec, text);
        }

        /** The name of the value that begins here, or that stands for one here; null if there is none. */
        String anchor() {
            return _lastEvent instanceof NodeEvent value ? value.getAnchor() : null;
        }
    }
}
