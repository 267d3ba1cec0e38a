package io.argosy.server.stream;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.TestCertificates;
import io.argosy.server.authn.User;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.argosy.server.http.HttpServer;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** A real HTTPS server with one pod named "box", of which it knows just enough for kubectl to reach into it. */
final class StreamServer implements AutoCloseable {
    private static final Map<String, String> DOCUMENTS = Map.of(
            "/api",
            "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}",
            "/apis",
            "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}",
            "/api/v1",
            "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\",\"singularName\":\"pod\","
                    + "\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":[\"get\",\"list\",\"watch\",\"create\"]}]}",
            "/api/v1/namespaces/default/pods/box",
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"box\",\"namespace\":\"default\",\"uid\":\"u1\"},"
                    + "\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"main\",\"image\":\"i\",\"stdin\":true}]},"
                    + "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");

    private final HttpServer server;
    private final SSLContext clientTls;

    StreamServer(NodeGateway nodes) throws Exception {
        TestCertificates certificates = new TestCertificates();
        SslContext tls = certificates.serverTls();
        clientTls = certificates.clientTls("");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = new HttpServer(
                address, () -> tls, (channel, headers) -> User.ANONYMOUS, new Door(nodes), Clock.system());
    }

    int port() {
        return server.address().getPort();
    }

    SSLContext clientTls() {
        return clientTls;
    }

    @Override
    public void close() {
        server.close();
    }

    private static final class Door implements HttpHandler {
        private static final String POD = "/api/v1/namespaces/default/pods/box";
        private final PodStreams streams;

        Door(NodeGateway nodes) {
            streams = new PodStreams(nodes);
        }

        @Override
        public boolean tryFast(HttpCall call, HttpReply reply) {
            return false;
        }

        @Override
        public void handle(HttpCall call, HttpReply reply) {
            String document = DOCUMENTS.get(call.path());
            if (document != null) {
                reply.send(200, "application/json", document.getBytes(StandardCharsets.UTF_8));
            } else if (call.path().startsWith(POD + "/")) {
                String subresource = call.path().substring(POD.length() + 1);
                streams.handle(subresource, new NodeGateway.Target("n1", "default", "box", "u1", "main"), call, reply);
            } else {
                throw new ApiException(Reason.NotFound, "the server could not find the requested resource");
            }
        }
    }
}
