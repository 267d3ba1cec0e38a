package io.argosy.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A registry's answer whose body cannot stall for ever. */
final class Answer {
    private static final Logger LOG = LoggerFactory.getLogger(Answer.class);
    private static final int COMPLAINT = 4096;

    private final HttpResponse<InputStream> response;
    private final InputStream body;

    Answer(HttpResponse<InputStream> response, RegistryTimeouts timeouts) {
        this.response = response;
        this.body = new StallGuard(response.body(), timeouts.stall());
    }

    int status() {
        return response.statusCode();
    }

    InputStream body() {
        return body;
    }

    Optional<String> header(String name) {
        return response.headers().firstValue(name);
    }

    List<String> headers(String name) {
        return response.headers().allValues(name);
    }

    OptionalLong length() {
        return response.headers().firstValueAsLong("Content-Length");
    }

    /** Where the registry points to, made absolute. */
    Optional<URI> location() {
        return header("Location").flatMap(text -> {
            try {
                return Optional.of(response.uri().resolve(text));
            } catch (IllegalArgumentException e) {
                LOG.warn("{} answered with a malformed Location: {}", response.uri(), text);
                return Optional.empty();
            }
        });
    }

    void discard() {
        try {
            body.close();
        } catch (IOException e) {
            LOG.debug("closing an answer of {}: {}", response.uri(), e.getMessage());
        }
    }

    /** The first error the registry tells in its answer, ready to be put behind a sentence; empty if it tells none. */
    String complaint() {
        try (InputStream in = body) {
            JsonNode error =
                    Manifests.tree(in.readNBytes(COMPLAINT)).path("errors").path(0);
            String code = error.path("code").asText("");
            String message = error.path("message").asText("");
            return code.isEmpty() ? "" : " (" + code + ": " + message + ")";
        } catch (IOException | ImageException e) {
            LOG.debug("{} gives no reason: {}", response.uri(), e.getMessage());
            return "";
        }
    }
}
