package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.CertificateException;
import java.util.Optional;

/** The rules for where a webhook is said to be. */
public final class ClientConfigValidation {
    private static final String FORM = "; desired format: https://host[/path]";
    private static final int LAST_PORT = 65535;

    private final FieldErrors errors;

    public ClientConfigValidation(FieldErrors errors) {
        this.errors = errors;
    }

    public void check(JsonNode client, String path) {
        boolean byUrl = client.hasNonNull("url");
        boolean byService = client.path("service").isObject();
        if (byUrl == byService) {
            errors.required(path, "exactly one of url or service is required");
        } else if (byUrl) {
            url(client.path("url").asText(), path + ".url");
        } else {
            service(client.path("service"), path + ".service");
        }
    }

    /** What is wrong with certificates, in PEM and that in base64; none at all is right. */
    public static Optional<String> bundleError(JsonNode client) {
        String bundle = client.path("caBundle").asText("");
        if (bundle.isEmpty()) {
            return Optional.empty();
        }
        try {
            CertificateBundle.read(Target.decoded(bundle));
            return Optional.empty();
        } catch (CertificateException unusable) {
            return Optional.of(unusable.getMessage());
        }
    }

    private void url(String text, String path) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException malformed) {
            errors.required(path, "url must be a valid URL: " + malformed.getMessage() + FORM);
            return;
        }
        if (!"https".equals(url.getScheme())) {
            String scheme = url.getScheme() == null ? "" : url.getScheme();
            errors.invalid(path, scheme, "'https' is the only allowed URL scheme" + FORM);
        }
        if (url.getHost() == null || url.getHost().isEmpty()) {
            errors.invalid(path, "", "host must be specified" + FORM);
        }
        if (url.getRawUserInfo() != null) {
            errors.invalid(path, url.getRawUserInfo(), "user information is not permitted in the URL");
        }
        if (url.getRawFragment() != null && !url.getRawFragment().isEmpty()) {
            errors.invalid(path, url.getRawFragment(), "fragments are not permitted in the URL");
        }
        if (url.getRawQuery() != null && !url.getRawQuery().isEmpty()) {
            errors.invalid(path, url.getRawQuery(), "query parameters are not permitted in the URL");
        }
    }

    private void service(JsonNode service, String path) {
        if (service.path("name").asText("").isEmpty()) {
            errors.required(path + ".name", "");
        }
        if (service.path("namespace").asText("").isEmpty()) {
            errors.required(path + ".namespace", "");
        }
        int port = service.path("port").asInt();
        if (port < 1 || port > LAST_PORT) {
            errors.invalid(path + ".port", port, "port is not valid: must be between 1 and 65535, inclusive");
        }
        if (service.hasNonNull("path")) {
            segments(service.path("path").asText(), path + ".path");
        }
    }

    private void segments(String text, String path) {
        if (text.isEmpty() || text.equals("/")) {
            return;
        }
        if (text.equals("//")) {
            errors.invalid(path, text, "segment[0] may not be empty");
            return;
        }
        if (!text.startsWith("/")) {
            errors.invalid(path, text, "must start with a '/'");
        }
        String inner = text.substring(1);
        String[] steps = (inner.endsWith("/") ? inner.substring(0, inner.length() - 1) : inner).split("/", -1);
        for (int i = 0; i < steps.length; i++) {
            String at = "segment[" + i + "]";
            if (steps[i].isEmpty()) {
                errors.invalid(path, text, at + " may not be empty");
            } else {
                Names.subdomainError(steps[i]).ifPresent(error -> errors.invalid(path, text, at + ": " + error));
            }
        }
    }
}
