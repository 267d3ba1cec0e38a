package io.argosy.cluster;

import io.argosy.cluster.wire.LocalGateway;
import io.argosy.server.ApiServer;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.http.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The endpoint of this machine's node, at kubelet's port; if somebody has that already, and nobody asked for it, at any that is free. */
final class NodeDoor {
    private static final int KUBELET_PORT = 10250;

    private NodeDoor() {}

    static HttpServer open(
            ClusterConfig config,
            ApiServer server,
            Certificates certificates,
            Authenticator authenticator,
            LocalGateway gateway)
            throws IOException {
        try {
            int port = config.node().port().orElse(KUBELET_PORT);
            return server.listenFor(
                    config.nodeName(), new InetSocketAddress(port), certificates, authenticator, gateway);
        } catch (IOException taken) {
            if (config.node().port().isPresent()) {
                throw taken;
            }
            return server.listenFor(config.nodeName(), new InetSocketAddress(0), certificates, authenticator, gateway);
        }
    }
}
