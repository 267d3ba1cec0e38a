package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.metrics.Exposition;
import io.argosy.server.aggregation.Aggregation;
import io.argosy.server.discovery.Discovery;
import io.argosy.server.discovery.Extension;
import io.argosy.server.http.HttpCall;
import io.argosy.server.metrics.Metrics;
import io.argosy.server.openapi.OpenApi;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** The paths that are no resources: discovery, OpenAPI, health, metrics and version. */
public final class Pages {
    private static final Map<String, String> JSON = Map.of("content-type", "application/json");

    private static final List<String> INDEXED = List.of(
            "/.well-known/openid-configuration",
            "/metrics",
            "/metrics/slis",
            "/openapi/v2",
            "/openapi/v3",
            "/openid/v1/jwks",
            "/version");

    private final Supplier<ResourceTypes> types;
    private final Aggregation aggregation;
    private final String advertised;
    private final Health health;
    private final IssuerPages issuer;
    private final Metrics metrics;

    /** What there is to tell of one catalogue; made anew when another one is served. */
    private volatile Told told;

    private record Told(ResourceTypes types, List<Extension> extensions, Discovery discovery, OpenApi openApi) {}

    /** With the address at which clients are told to find this server. */
    public Pages(
            Supplier<ResourceTypes> types,
            Aggregation aggregation,
            String advertised,
            Health health,
            IssuerPages issuer,
            Metrics metrics) {
        this.issuer = issuer;
        this.metrics = metrics;
        this.types = types;
        this.aggregation = aggregation;
        this.advertised = advertised;
        this.health = health;
    }

    private Told told() {
        ResourceTypes now = types.get();
        List<Extension> extensions = aggregation.extensions();
        Told known = told;
        if (known == null || known.types() != now || known.extensions() != extensions) {
            ResourceTypes own = extensions.isEmpty()
                    ? now
                    : now.without(extensions.stream().map(Extension::version).toList());
            OpenApi documents =
                    known == null ? new OpenApi(own) : known.openApi().with(own);
            known = new Told(now, extensions, new Discovery(own, extensions, advertised), documents);
            told = known;
        }
        return known;
    }

    private Discovery discovery() {
        return told().discovery();
    }

    /** A finished page. */
    @SuppressWarnings("ArrayRecordComponent") // sent, never changed
    record Page(int status, Map<String, String> headers, byte[] body) {}

    Optional<Page> find(HttpCall call) {
        String path = call.path().length() > 1 && call.path().endsWith("/")
                ? call.path().substring(0, call.path().length() - 1)
                : call.path();
        String[] parts = path.split("/");
        return switch (parts.length < 2 ? "" : parts[1]) {
            case "" -> path.equals("/") ? Optional.of(json(index())) : Optional.empty();
            case "api" -> core(call, parts);
            case "apis" -> groups(call, parts);
            case "openapi" -> openApi(call, path);
            case "version" -> parts.length == 2 ? Optional.of(json(Version.json())) : Optional.empty();
            case ".well-known", "openid" -> issuer.find(path);
            case "healthz", "livez", "readyz" -> health.page(call, parts);
            case "metrics" -> metrics(call, path);
            default -> Optional.empty();
        };
    }

    private Optional<Page> metrics(HttpCall call, String path) {
        boolean open = call.header("accept").contains("application/openmetrics-text");
        String type = open ? Exposition.OPEN_METRICS : Exposition.TEXT;
        byte[] body = switch (path) {
            case "/metrics" -> metrics.page(open);
            case "/metrics/slis" -> Metrics.page(open, List.of(health.outcomes()));
            default -> null;
        };
        return body == null ? Optional.empty() : Optional.of(new Page(200, Map.of("content-type", type), body));
    }

    private Optional<Page> core(HttpCall call, String[] parts) {
        Accept accept = Accept.of(call.header("accept"));
        return switch (parts.length) {
            case 2 ->
                Optional.of(
                        accept.form() == Accept.Form.DISCOVERY
                                ? aggregated(call, true, accept.version())
                                : document(accept, discovery().coreVersions()));
            case 3 ->
                discovery().resources(new GroupVersion("", parts[2])).map(resources -> document(accept, resources));
            default -> Optional.empty();
        };
    }

    private Optional<Page> groups(HttpCall call, String[] parts) {
        Accept accept = Accept.of(call.header("accept"));
        return switch (parts.length) {
            case 2 ->
                Optional.of(
                        accept.form() == Accept.Form.DISCOVERY
                                ? aggregated(call, false, accept.version())
                                : document(accept, discovery().groups()));
            case 3 -> discovery().group(parts[2]).map(group -> document(accept, group));
            case 4 ->
                discovery()
                        .resources(new GroupVersion(parts[2], parts[3]))
                        .map(resources -> document(accept, resources));
            default -> Optional.empty();
        };
    }

    /** Protobuf is made of JSON where the page is sent. */
    private static Page document(Accept accept, ObjectNode body) {
        Page page = json(body);
        return accept.media() == Accept.Media.YAML
                ? new Page(200, Map.of("content-type", "application/yaml"), Represent.yaml(page.body()))
                : page;
    }

    private Page aggregated(HttpCall call, boolean core, String version) {
        byte[] body = Json.encode(discovery().aggregated(core, version));
        return tagged(
                call,
                "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList",
                body,
                "\"" + checksum(body) + "\"");
    }

    private Optional<Page> openApi(HttpCall call, String path) {
        OpenApi openApi = told().openApi();
        if (path.equals("/openapi/v2")) {
            boolean protobuf = call.header("accept").contains(OpenApi.V2_PROTOBUF);
            List<ObjectNode> others = aggregation.documents().v2();
            byte[] body = protobuf ? openApi.v2Protobuf(others) : openApi.v2Json(others);
            String type = protobuf ? OpenApi.V2_PROTOBUF_CONTENT : "application/json";
            return Optional.of(tagged(call, type, body, openApi.etag(body)));
        }
        if (path.equals("/openapi/v3")) {
            byte[] body = openApi.v3Index(aggregation.documents().v3());
            return Optional.of(tagged(call, "application/json", body, openApi.etag(body)));
        }
        if (!path.startsWith("/openapi/v3/")) {
            return Optional.empty();
        }
        return openApi.v3(path.substring("/openapi/v3/".length()))
                .map(body -> tagged(call, "application/json", body, openApi.etag(body)));
    }

    private static Page tagged(HttpCall call, String type, byte[] body, String etag) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("etag", etag);
        headers.put("vary", "Accept");
        if (call.header("if-none-match").equals(etag)) {
            return new Page(304, headers, new byte[0]);
        }
        headers.put("content-type", type);
        return new Page(200, headers, body);
    }

    private ObjectNode index() {
        ObjectNode index = Json.object();
        var paths = index.putArray("paths").add("/api").add("/api/v1").add("/apis");
        for (GroupVersion version : discovery().groupVersions()) {
            if (!version.group().isEmpty()) {
                paths.add("/apis/" + version);
            }
        }
        Stream.concat(INDEXED.stream(), health.paths().stream()).sorted().forEach(paths::add);
        return index;
    }

    static Page json(ObjectNode body) {
        return new Page(200, JSON, Json.encode(body));
    }

    static Page text(int status, String body) {
        return new Page(
                status, Map.of("content-type", "text/plain; charset=utf-8"), body.getBytes(StandardCharsets.UTF_8));
    }

    private static String checksum(byte[] body) {
        CRC32C checksum = new CRC32C();
        checksum.update(body);
        return Long.toHexString(checksum.getValue()) + Integer.toHexString(body.length);
    }
}
