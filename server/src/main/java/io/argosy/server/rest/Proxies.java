package io.argosy.server.rest;

import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.proxy.Destination;
import io.argosy.server.proxy.Destinations;
import io.argosy.server.proxy.Forwarded;
import io.argosy.server.proxy.Relay;
import io.argosy.server.stream.NodeGateway;
import java.util.List;
import java.util.Map;

/** Requests that are meant for a server inside the cluster: in a pod, behind a service, or on a node. */
final class Proxies {
    /** Segments of the path in front of what is passed on: {@code /api/v1/namespaces/NAMESPACE/pods/NAME/proxy}. */
    private static final int NAMESPACED = 7;

    private static final int OF_NODE = 5;

    private final Destinations destinations;
    private final AgentRequests agent;

    Proxies(Api api, PodConnections pods, NodeGateway nodes) {
        this.destinations = new Destinations(api.registry());
        this.agent = new AgentRequests(api, pods, nodes);
    }

    void handle(ResourceRequest request, HttpCall call, HttpReply reply) throws InterruptedException {
        Forwarded forwarded = Forwarded.of(call, request.type().namespaced() ? NAMESPACED : OF_NODE);
        switch (request.type().groupResource().toString()) {
            case "pods" -> relay(destinations.pod(request.namespace(), request.name()), forwarded, reply);
            case "services" -> relay(destinations.service(request.namespace(), request.name()), forwarded, reply);
            case "nodes" -> {
                Destinations.OfNode node = destinations.node(request.name());
                if (node.port().isPresent()) {
                    relay(node.port().get(), forwarded, reply);
                } else {
                    agent.handle(node.name(), request, call, reply);
                }
            }
            default -> throw RestHandler.noSuchPath();
        }
    }

    private static void relay(Destination to, Forwarded forwarded, HttpReply reply) throws InterruptedException {
        String method = forwarded.call().method();
        if (forwarded.lacksSlash() && (method.equals("GET") || method.equals("HEAD"))) {
            String query =
                    forwarded.call().target().substring(forwarded.prefix().length());
            reply.send(301, Map.of("location", forwarded.prefix() + "/" + query), List.of(), List.of());
            return;
        }
        Relay.run(to, forwarded, reply);
    }
}
