package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.registry.Admission.Operation;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.stream.NodeGateway;
import io.argosy.server.stream.NodeGateway.Target;
import io.argosy.server.stream.OutgoingSocket;
import io.argosy.server.stream.PodStreams;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Requests that reach into the cluster: logs of pods, streams to processes and ports inside them, and servers behind a proxy. */
public final class PodConnections {
    private static final Set<String> ENTERING = Set.of("exec", "attach", "portforward");

    private final Api api;
    private final NodeGateway nodes;
    private final PodStreams streams;
    private final Proxies proxies;

    public PodConnections(Api api, NodeGateway nodes) {
        this.api = api;
        this.nodes = nodes;
        this.streams = new PodStreams(nodes);
        this.proxies = new Proxies(api, this, nodes);
    }

    void handle(ResourceRequest request, HttpCall call, HttpReply reply) throws InterruptedException {
        api.authorize(request.action());
        if (ENTERING.contains(request.subresource())) {
            api.authorize(
                    request.action().as("create")); // also where a WebSocket begins with a GET: reading is not entering
        }
        if (request.subresource().equals("proxy")) {
            proxies.handle(request, call, reply);
            return;
        }
        if (!request.type().groupResource().toString().equals("pods")) {
            throw RestHandler.noSuchPath();
        }
        ResourceStore pods = api.registry().store("", "pods");
        if (!request.subresource().equals("log")) {
            admit(pods, request);
        }
        ObjectNode pod =
                Json.decodeObject(pods.get(request.namespace(), request.name()).json());
        if (request.subresource().equals("log") && nodeOf(pod).isEmpty()) {
            logOfNothing(request, pod, reply);
            return;
        }
        Target target = target(request, pod);
        if (request.subresource().equals("log")) {
            log(
                    target,
                    request,
                    reply,
                    OutgoingSocket.wanted(call) ? () -> OutgoingSocket.bytes(call, reply) : () -> text(reply));
        } else {
            streams.handle(request.subresource(), target, call, reply);
        }
    }

    /** A connection is a request too; what it asks for stands in its options. */
    private void admit(ResourceStore pods, ResourceRequest request) {
        GroupVersionKind kind =
                request.type().subresource(request.subresource()).kind();
        ObjectNode options = Json.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        for (String flag : List.of("stdin", "stdout", "stderr", "tty")) {
            if (request.params().flag(flag)) {
                options.put(flag, true);
            }
        }
        if (!request.params().text("container").isEmpty()) {
            options.put("container", request.params().text("container"));
        }
        request.params().values().getOrDefault("command", List.of()).forEach(options.withArray("command")::add);
        if (options.path("command").isEmpty()) {
            options.remove("command");
        }
        for (String port : request.params().values().getOrDefault("ports", List.of())) {
            if (port.matches("[0-9]{1,5}")) {
                options.withArray("ports").add(Integer.parseInt(port));
            }
        }
        api.parts()
                .admit(
                        Operation.CONNECT,
                        pods.type(),
                        request,
                        kind,
                        options,
                        null,
                        Writes.options(request, new ArrayList<>(), false));
    }

    private static String nodeOf(ObjectNode pod) {
        return pod.path("spec").path("nodeName").asText("");
    }

    /** A pod that no node has yet has said nothing, which is no error; what is asked for must make sense all the same. */
    private static void logOfNothing(ResourceRequest request, ObjectNode pod, HttpReply reply) {
        LogParameters.of(request.params(), request.name());
        container(request, pod);
        reply.send(204, "text/plain", new byte[0]);
    }

    private Target target(ResourceRequest request, ObjectNode pod) {
        String node = nodeOf(pod);
        String container = request.subresource().equals("portforward") ? "" : container(request, pod);
        if (node.isEmpty()) {
            throw ApiException.badRequest("pod " + request.name() + " does not have a host assigned");
        }
        return new Target(
                node,
                request.namespace(),
                request.name(),
                pod.path("metadata").path("uid").asText(),
                container);
    }

    private static String container(ResourceRequest request, ObjectNode pod) {
        String asked = request.params().text("container");
        List<String> names = new ArrayList<>();
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                names.add(container.path("name").asText());
            }
        }
        if (asked.isEmpty()) {
            JsonNode containers = pod.path("spec").path("containers");
            String preferred = pod.path("metadata")
                    .path("annotations")
                    .path("kubectl.kubernetes.io/default-container")
                    .asText("");
            if (names.contains(preferred)) {
                return preferred;
            }
            if (containers.size() > 1) {
                throw ApiException.badRequest("a container name must be specified for pod " + request.name()
                        + ", choose one of: [" + String.join(" ", names) + "]");
            }
            return containers.path(0).path("name").asText();
        }
        if (!names.contains(asked)) {
            throw ApiException.badRequest("container " + asked + " is not valid for pod " + request.name());
        }
        return asked;
    }

    /** The log of a container, asked for at its node. */
    void log(String node, ObjectNode pod, String container, ResourceRequest request, HttpReply reply)
            throws InterruptedException {
        JsonNode metadata = pod.path("metadata");
        log(
                new Target(
                        node,
                        metadata.path("namespace").asText(),
                        metadata.path("name").asText(),
                        metadata.path("uid").asText(),
                        container),
                request,
                reply,
                () -> text(reply));
    }

    private static HttpReply.Stream text(HttpReply reply) {
        return reply.stream(200, Map.of("content-type", "text/plain"));
    }

    private void log(Target target, ResourceRequest request, HttpReply reply, Supplier<HttpReply.Stream> answer)
            throws InterruptedException {
        Map<String, String> parameters = LogParameters.of(request.params(), target.pod());
        LogStream log = new LogStream(answer);
        try {
            nodes.logs(target, parameters, log);
        } catch (LogStream.GoneException clientWentAway) {
            return;
        } catch (IOException failed) {
            if (!log.begun()) {
                throw new ApiException(Reason.InternalError, failed.getMessage());
            }
        } finally {
            if (log.begun()) {
                log.close();
            }
        }
        if (!log.begun()) {
            reply.send(200, "text/plain", new byte[0]);
        }
    }

    /** A log on its way to the client: the answer begins with the first byte, so that a failure before it is still an error. */
    private static final class LogStream extends OutputStream {
        private final Supplier<HttpReply.Stream> answer;
        private HttpReply.Stream stream;
        private volatile boolean gone;
        private Thread reader;

        LogStream(Supplier<HttpReply.Stream> answer) {
            this.answer = answer;
        }

        boolean begun() {
            return stream != null;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0 && stream != null) {
                return;
            }
            if (stream == null) {
                begin();
            }
            try {
                byte[] piece = java.util.Arrays.copyOfRange(bytes, offset, offset + length);
                if (gone || (length > 0 && !stream.write(piece))) {
                    throw new GoneException();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new GoneException();
            }
        }

        /** A log that is followed but silent begins its answer too. */
        @Override
        public void flush() throws IOException {
            if (stream == null) {
                begin();
            }
            if (gone) {
                throw new GoneException();
            }
        }

        private void begin() {
            reader = Thread.currentThread();
            stream = answer.get();
            stream.onGone(() -> {
                gone = true;
                reader.interrupt();
            });
        }

        @Override
        public void close() {
            if (stream != null) {
                stream.close();
            }
        }

        static final class GoneException extends IOException {
            private static final long serialVersionUID = 1L;
        }
    }
}
