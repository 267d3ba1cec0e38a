package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.stream.NodeGateway;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What there is to ask a node's agent by kubelet's paths; the agent lives in this process and not behind a port. */
final class AgentRequests {
    private static final int CHUNK = 64 * 1024;
    /** As much as containerd keeps of the output of a command that is run for its output. */
    private static final int MOST_OUTPUT = 16 << 20;

    private final Api api;
    private final PodConnections pods;
    private final NodeGateway nodes;

    AgentRequests(Api api, PodConnections pods, NodeGateway nodes) {
        this.api = api;
        this.pods = pods;
        this.nodes = nodes;
    }

    void handle(String node, ResourceRequest request, HttpCall call, HttpReply reply) throws InterruptedException {
        String[] parts = request.rest().split("/");
        if (parts[0].equals("checkpoint")) {
            throw RestHandler.noSuchPath(); // as with a runtime that cannot
        }
        boolean runs = parts[0].equals("run");
        boolean reads = call.method().equals("GET") || call.method().equals("HEAD");
        if (runs ? !call.method().equals("POST") : !reads) {
            throw Subresources.notAllowed();
        }
        switch (parts[0]) {
            case "healthz" -> health(node, reply);
            case "pods" -> reply.send(200, "application/json", podsOf(node));
            case "containerLogs" -> {
                if (parts.length != 4) {
                    throw RestHandler.noSuchPath();
                }
                pods.log(node, pod(node, parts), parts[3], request, reply);
            }
            case "run" -> {
                if (parts.length != 4 && parts.length != 5) {
                    throw RestHandler.noSuchPath();
                }
                run(node, parts, request.params().text("cmd"), reply);
            }
            case "logs" -> systemLog(node, request.rest().substring("logs".length()), call.method(), reply);
            default -> page(node, request, reply);
        }
    }

    private void page(String node, ResourceRequest request, HttpReply reply) {
        Map<String, String> parameters = new HashMap<>();
        request.params()
                .values()
                .keySet()
                .forEach(name -> parameters.put(name, request.params().text(name)));
        NodeGateway.Page page = nodes.page(node, request.rest().replaceAll("/+$", ""), parameters)
                .orElseThrow(RestHandler::noSuchPath);
        reply.send(200, page.contentType(), page.content());
    }

    /** The pod of this node that is named behind the first part of the path. */
    private ObjectNode pod(String node, String[] parts) {
        ResourceStore store = api.registry().store("", "pods");
        ObjectNode pod = Json.decodeObject(store.get(parts[1], parts[2]).json());
        if (!pod.at("/spec/nodeName").asText("").equals(node)) {
            throw ApiException.notFound(store.resource(), parts[2]);
        }
        return pod;
    }

    /** Runs a command for its output. */
    private void run(String node, String[] parts, String command, HttpReply reply) throws InterruptedException {
        ObjectNode pod = pod(node, parts);
        NodeGateway.Target target = new NodeGateway.Target(
                node, parts[1], parts[2], pod.at("/metadata/uid").asText(), parts[parts.length - 1]);
        List<String> words = Arrays.asList(command.split(" "));
        try (NodeGateway.RemoteProcess process =
                nodes.exec(target, new NodeGateway.Command(words, false, false, true, true))) {
            Output errors = new Output(process.stderr());
            Thread reader = Thread.ofVirtual().start(errors);
            Output output = new Output(process.stdout());
            output.run();
            reader.join();
            int code = process.waitFor();
            if (code != 0) {
                throw new ApiException(
                        Reason.InternalError,
                        "command '" + command + "' exited with " + code + ": "
                                + errors.bytes.toString(StandardCharsets.UTF_8));
            }
            reply.send(
                    200,
                    Map.of("content-type", "application/json"),
                    List.of(),
                    List.of(output.bytes.toByteArray(), errors.bytes.toByteArray()));
        } catch (IOException failed) {
            throw new ApiException(Reason.InternalError, failed.getMessage());
        }
    }

    /** Reads a stream to its end and keeps the beginning. */
    private record Output(InputStream from, ByteArrayOutputStream bytes) implements Runnable {
        Output(InputStream from) {
            this(from, new ByteArrayOutputStream());
        }

        @Override
        public void run() {
            byte[] chunk = new byte[CHUNK];
            try {
                for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                    bytes.write(chunk, 0, Math.min(read, MOST_OUTPUT - bytes.size()));
                }
            } catch (IOException ended) {
                return; // the process is gone, and its exit code tells how
            }
        }
    }

    private void systemLog(String node, String path, String method, HttpReply reply) throws InterruptedException {
        NodeGateway.Document document;
        try {
            document = nodes.systemLog(node, path).orElseThrow(RestHandler::noSuchPath);
        } catch (IOException failed) {
            throw new ApiException(Reason.InternalError, failed.getMessage());
        }
        try (InputStream content = document.content()) {
            if (method.equals("HEAD")) {
                reply.send(200, document.contentType(), new byte[0]);
                return;
            }
            try (HttpReply.Stream stream = reply.stream(200, Map.of("content-type", document.contentType()))) {
                for (byte[] piece = content.readNBytes(CHUNK); piece.length > 0; piece = content.readNBytes(CHUNK)) {
                    if (!stream.write(piece)) {
                        return;
                    }
                }
            }
        } catch (IOException failed) {
            throw new ApiException(Reason.InternalError, failed.getMessage());
        }
    }

    private void health(String name, HttpReply reply) {
        ObjectNode node = Json.decodeObject(
                api.registry().store("", "nodes").get("", name).json());
        boolean ready = false;
        for (JsonNode condition : node.at("/status/conditions")) {
            ready |= condition.path("type").asText().equals("Ready")
                    && condition.path("status").asText().equals("True");
        }
        reply.send(
                ready ? 200 : 500,
                "text/plain; charset=utf-8",
                (ready ? "ok" : "node is not ready").getBytes(StandardCharsets.UTF_8));
    }

    private byte[] podsOf(String node) {
        ObjectNode list = Json.object().put("kind", "PodList").put("apiVersion", "v1");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        for (CachedObject pod : api.registry().store("", "pods").snapshot("").objects()) {
            ObjectNode tree = Json.decodeObject(pod.json());
            if (tree.at("/spec/nodeName").asText("").equals(node)) {
                items.add(tree);
            }
        }
        return Json.encode(list);
    }
}
