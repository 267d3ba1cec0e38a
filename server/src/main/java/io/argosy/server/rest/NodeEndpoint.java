package io.argosy.server.rest;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.argosy.server.registry.Registry;
import io.argosy.server.registry.ResourceStore;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A node's own door, where kubelet's would be: the same paths, the same rights (nodes/stats, nodes/metrics, nodes/proxy ...), the same
 * refusals. What is let in goes the way it would have gone through the API server, to this node and no other.
 */
public final class NodeEndpoint implements HttpHandler {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final Map<String, String> VERBS =
            Map.of("POST", "create", "PUT", "update", "PATCH", "patch", "DELETE", "delete");
    private static final Set<String> STREAMS = Set.of("exec", "attach", "portForward", "run");
    /** What kubelet calls a stream, and what the API does. */
    private static final Map<String, String> FLAGS =
            Map.of("input", "stdin", "output", "stdout", "error", "stderr", "tty", "tty");

    private final Registry registry;
    private final Authorizer authorizer;
    private final String node;
    private final User own;
    private final HttpHandler next;

    /** The door of this node; behind it requests are its own, and answered by the next handler. */
    public NodeEndpoint(Registry registry, Authorizer authorizer, String node, HttpHandler next) {
        this.registry = registry;
        this.authorizer = authorizer;
        this.node = node;
        this.own = new User("system:node-endpoint", List.of(User.MASTERS, User.AUTHENTICATED));
        this.next = next;
    }

    @Override
    public boolean tryFast(HttpCall call, HttpReply reply) {
        return false;
    }

    @Override
    public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
        if (call.user().isAnonymous()) {
            refuse(reply, 401, "Unauthorized");
            return;
        }
        String verb = verb(call);
        List<String> rights = rights(call.path());
        boolean allowed = rights.stream()
                .anyMatch(right -> authorizer.allows(
                        new Action(call.user(), verb, "", "v1", "nodes", right, "", node, call.path())));
        if (!allowed) {
            refuse(
                    reply,
                    403,
                    "Forbidden (user=" + call.user().name() + ", verb=" + verb + ", resource=nodes, subresource(s)="
                            + rights + ")");
            return;
        }
        next.handle(inside(call), reply);
    }

    /** Who may only read must not run anything by asking for a stream with a GET, as a WebSocket does. */
    private static String verb(HttpCall call) {
        return STREAMS.contains(first(call.path())) ? "create" : VERBS.getOrDefault(call.method(), "get");
    }

    private static String first(String path) {
        String[] parts = path.split("/", 3);
        return parts.length < 2 ? "" : parts[1];
    }

    private static void refuse(HttpReply reply, int status, String words) {
        reply.send(status, TEXT, (words + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Any of these subresources of the node lets somebody in at the path. */
    static List<String> rights(String path) {
        return switch (first(path)) {
            case "stats" -> List.of("stats");
            case "metrics" -> List.of("metrics");
            case "logs" -> List.of("log");
            case "checkpoint" -> List.of("checkpoint");
            case "statusz" -> List.of("statusz");
            case "flagz" -> List.of("configz");
            case "pods", "runningpods" -> List.of("pods", "proxy");
            case "healthz" -> List.of("healthz", "proxy");
            case "configz" -> List.of("configz", "proxy");
            default -> List.of("proxy");
        };
    }

    private HttpCall inside(HttpCall call) {
        String[] parts = call.path().substring(1).split("/");
        Map<String, List<String>> query = new HashMap<>(call.query());
        String path = switch (parts[0]) {
            case "exec", "attach" -> {
                if (parts.length < 4) {
                    throw RestHandler.noSuchPath();
                }
                FLAGS.forEach((from, to) -> {
                    List<String> said = query.remove(from);
                    if (said != null) {
                        query.put(to, List.of(Boolean.toString(isTrue(said))));
                    }
                });
                query.put("container", List.of(parts[parts.length - 1]));
                yield ofPod(parts, parts[0]);
            }
            case "portForward" -> {
                List<String> ports = query.remove("port");
                if (ports != null) {
                    query.put("ports", ports);
                }
                yield ofPod(parts, "portforward");
            }
            default -> "/api/v1/nodes/" + node + "/proxy" + call.path();
        };
        return new HttpCall(call.method(), path, path, query, call.headers(), call.body(), own, call.remote());
    }

    private static boolean isTrue(List<String> said) {
        return said.contains("1") || said.contains("true");
    }

    /** The path begins with the kind of stream, the namespace and the pod. */
    private String ofPod(String[] parts, String subresource) {
        ResourceStore pods = registry.store("", "pods");
        CachedObject pod = parts.length < 3 ? null : pods.find(parts[1], parts[2]);
        if (pod == null
                || !Json.decodeObject(pod.json()).at("/spec/nodeName").asText().equals(node)) {
            throw ApiException.notFound(pods.resource(), parts.length < 3 ? "" : parts[2]);
        }
        return "/api/v1/namespaces/" + parts[1] + "/pods/" + parts[2] + "/" + subresource;
    }
}
