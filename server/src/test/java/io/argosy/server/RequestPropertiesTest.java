package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.RandomJson;
import io.argosy.api.Tries;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient.Reply;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What holds of all requests, over real HTTPS: none ends in an error of the server's, and what must not depend on chance does not. */
@Timeout(300)
class RequestPropertiesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final int TRIES = 250;
    private static final List<String> METHODS =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW");
    private static final List<String> WORDS = List.of(
            "api",
            "apis",
            "v1",
            "apps",
            "namespaces",
            "default",
            "pods",
            "configmaps",
            "deployments",
            "status",
            "scale",
            "exec",
            "log",
            "proxy",
            "binding",
            "eviction",
            "watch",
            "openapi",
            "v2",
            "v3",
            "healthz",
            "version",
            "metrics",
            "customresourcedefinitions",
            "apiextensions.k8s.io",
            "events",
            "nodes",
            "services",
            "token",
            "x",
            "..",
            "%00",
            "%2F",
            "%zz",
            "~",
            "",
            "a:b",
            "https:a:1",
            "serviceaccounts",
            "secrets",
            "rbac.authorization.k8s.io",
            "clusterroles");
    private static final List<String> PARAMETERS = List.of(
            "labelSelector",
            "fieldSelector",
            "limit",
            "continue",
            "resourceVersion",
            "resourceVersionMatch",
            "pretty",
            "fieldManager",
            "force",
            "fieldValidation",
            "gracePeriodSeconds",
            "propagationPolicy",
            "orphanDependents",
            "timeoutSeconds",
            "allowWatchBookmarks",
            "sendInitialEvents",
            "container",
            "tailLines",
            "command",
            "x");
    private static final List<String> TYPES = List.of(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml",
            "text/plain",
            "x",
            "application/json;charset=\"",
            ";",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
            "*/*",
            "application/*;q=x");

    private static TestClient admin;
    private static String namespace;

    @BeforeAll
    static void begin() {
        admin = SERVER.admin();
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
        for (int i = 0; i < 9; i++) {
            admin.create(namespace + "/configmaps", "{'metadata':{'name':'m" + i + "'}}");
        }
    }

    @AfterEach
    void theServerGoesOn() {
        admin.get("/readyz").is(200);
        assertThat(admin.get(namespace + "/configmaps").is(200).names()).contains("m0", "m8");
    }

    private static String any(List<String> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Now a way that leads somewhere, now any words. */
    private static String path(Random random) {
        StringBuilder path = new StringBuilder(random.nextBoolean() ? namespace : "");
        for (int i = random.nextInt(6); i > 0; i--) {
            String word = any(WORDS, random);
            path.append('/').append(word.equals("%zz") ? "%25zz" : word);
        }
        StringBuilder query = new StringBuilder("?dryRun=All"); // what others need stays
        for (int i = random.nextInt(4); i > 0; i--) {
            String value = random.nextBoolean() ? new RandomJson(random, true).text() : "" + random.nextInt(3);
            query.append('&').append(any(PARAMETERS, random)).append('=').append(encoded(value));
        }
        return (path.isEmpty() ? "/" : path.toString()) + query;
    }

    private static String[] headers(Random random) {
        List<String> headers = new ArrayList<>();
        if (random.nextBoolean()) {
            headers.addAll(List.of("Accept", any(TYPES, random)));
        }
        if (random.nextInt(4) == 0) {
            headers.addAll(List.of("Accept-Encoding", random.nextBoolean() ? "gzip;q=" + random.nextInt(3) : "x,,;"));
        }
        if (random.nextInt(4) == 0) {
            headers.addAll(List.of("Content-Encoding", random.nextBoolean() ? "gzip" : "x"));
        }
        if (random.nextInt(4) == 0) {
            headers.addAll(List.of("Impersonate-User", random.nextBoolean() ? "somebody" : "system:serviceaccount:::"));
        }
        if (random.nextInt(4) == 0) {
            headers.addAll(List.of("Authorization", "Bearer " + encoded(new RandomJson(random, true).text()) + "x"));
        }
        return headers.toArray(String[]::new);
    }

    /** Whoever asks for a stream that nobody holds, or for what others keep, is told so: these are no faults of the server's. */
    private static boolean isOfOthers(Reply reply, String path) {
        return reply.status() == 503 && path.contains("proxy") || reply.status() == 501;
    }

    @Test
    void anyRequestIsAnsweredAndNoneBreaksTheServer() {
        Tries.of(4 * TRIES, random -> {
            RandomJson json = new RandomJson(random, true);
            String method = any(METHODS, random);
            String path = path(random);
            byte[] body = switch (random.nextInt(3)) {
                case 0 -> new byte[0];
                case 1 -> json.bytes(300);
                default -> Json.encode(json.object(4));
            };
            boolean endless = path.contains("watch"); // answered with a stream: asked for a second of it
            String asked = endless ? path + "&timeoutSeconds=1" : path;
            Reply reply = admin.send(method, asked, any(TYPES, random), body, headers(random));
            if (!isOfOthers(reply, path)) {
                assertThat(reply.status())
                        .as(() -> method + " " + asked + " " + new String(body, StandardCharsets.ISO_8859_1) + " -> "
                                + reply.text())
                        .isBetween(200, 499);
            }
        });
    }

    @Test
    void aListGoesOnWhereItEndedHoweverLongItsPagesAre() {
        Tries.of(TRIES / 5, random -> {
            List<String> all = admin.get(namespace + "/configmaps").names();
            List<String> read = new ArrayList<>();
            String token = "";
            do {
                Reply page = admin.get(namespace + "/configmaps?limit=" + (1 + random.nextInt(5))
                                + (token.isEmpty() ? "" : "&continue=" + encoded(token)))
                        .is(200);
                read.addAll(page.names());
                token = page.at("/metadata/continue").asText("");
            } while (!token.isEmpty());
            assertThat(read).isEqualTo(all);
        });
    }

    @Test
    void aTokenThatNobodyGaveIsRefused() {
        String token = admin.get(namespace + "/configmaps?limit=2")
                .is(200)
                .at("/metadata/continue")
                .asText();
        Tries.of(TRIES, random -> {
            byte[] plain = Base64.getUrlDecoder().decode(token);
            for (int i = random.nextInt(3); i >= 0; i--) {
                plain[random.nextInt(plain.length)] = (byte) random.nextInt(256);
            }
            String other = random.nextBoolean()
                    ? Base64.getUrlEncoder().withoutPadding().encodeToString(plain)
                    : new RandomJson(random, true).text();
            Reply reply = admin.get(namespace + "/configmaps?limit=2&continue=" + encoded(other));
            assertThat(reply.status())
                    .as(() -> new String(plain, StandardCharsets.ISO_8859_1) + reply.text())
                    .isIn(200, 400, 410, 504);
            if (reply.status() == 504) { // it names a revision that is yet to come, as a read at such a revision does
                assertThat(reply.at("/details/causes/0/reason").asText()).isEqualTo("ResourceVersionTooLarge");
            }
        });
    }

    /** A ConfigMap of a few keys, or a Service of a few ports: one list that is merged by its keys. */
    private static ObjectNode configuration(Random random, boolean service) {
        ObjectNode object = Json.object();
        object.put("apiVersion", "v1").put("kind", service ? "Service" : "ConfigMap");
        ObjectNode metadata = object.putObject("metadata").put("name", "applied");
        if (random.nextBoolean()) {
            metadata.putObject("labels").put("l", "" + random.nextInt(3));
        }
        if (service) {
            ObjectNode spec = object.putObject("spec");
            spec.putObject("selector").put("a", "" + random.nextInt(3));
            for (int port = 1; port <= 3; port++) {
                if (port == 1 || random.nextBoolean()) {
                    spec.withArray("ports")
                            .addObject()
                            .put("name", "p" + port)
                            .put("port", 80 + port)
                            .put("protocol", "TCP");
                }
            }
        } else {
            for (String key : List.of("a", "b", "c")) {
                if (random.nextBoolean()) {
                    object.withObject("/data").put(key, "" + random.nextInt(3));
                }
            }
        }
        return object;
    }

    @Test
    void whatIsAppliedTwiceIsAppliedOnceAndWhatIsNoLongerAppliedIsGone() {
        Tries.of(TRIES / 5, random -> {
            boolean service = random.nextBoolean();
            String path = namespace + (service ? "/services" : "/configmaps") + "/applied";
            Reply last = null;
            JsonNode wanted = null;
            for (int i = 0; i < 3; i++) {
                wanted = configuration(random, service);
                last = apply(path, wanted);
                Reply again = apply(path, wanted);
                assertThat(again.version()).as("nothing to do: %s", wanted).isEqualTo(last.version());
            }
            assertThat(last.at("/metadata/labels")).isEqualTo(wanted.at("/metadata/labels"));
            assertThat(last.at("/data")).isEqualTo(wanted.at("/data"));
            assertThat(names(last.at("/spec/ports"))).isEqualTo(names(wanted.at("/spec/ports")));
            admin.delete(path).is(200);
        });
    }

    private static List<String> names(JsonNode ports) {
        List<String> names = new ArrayList<>();
        ports.forEach(port -> names.add(port.path("name").asText()));
        return names.stream().sorted().toList();
    }

    private static Reply apply(String path, JsonNode wanted) {
        Reply reply =
                admin.send("PATCH", path + "?fieldManager=tries", "application/apply-patch+yaml", Json.encode(wanted));
        assertThat(reply.status()).as(reply.text()).isIn(200, 201);
        return reply;
    }
}
