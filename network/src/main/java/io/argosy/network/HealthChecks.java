package io.argosy.network;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.argosy.api.NamespacedName;
import io.argosy.api.net.Ip;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Tells balancers outside whether this node has endpoints of a Service that keeps its traffic on the node (healthCheckNodePort): 200 if so, 503
 * if not. Nothing is opened as long as no Service asks for it.
 */
public final class HealthChecks implements AutoCloseable {
    private static final int BACKLOG = 16;

    private final ServiceFeed feed;
    private final String node;
    private final Map<NamespacedName, Check> checks = new HashMap<>();
    private ServiceFeed.Following following = () -> {};

    public HealthChecks(ServiceFeed feed, String node) {
        this.feed = feed;
        this.node = node;
    }

    public void start() {
        following = feed.subscribe("health-checks", this::follow);
    }

    private Map<NamespacedName, Trouble> follow(Map<NamespacedName, ServiceEntry> changes) {
        for (Map.Entry<NamespacedName, ServiceEntry> change : changes.entrySet()) {
            int port =
                    change.getValue() == null ? 0 : change.getValue().service().healthCheckPort();
            Check open = checks.get(change.getKey());
            if (open != null && open.port != port) {
                open.close();
                checks.remove(change.getKey());
            }
        }
        Map<NamespacedName, Trouble> troubles = new HashMap<>();
        changes.forEach((name, entry) -> {
            int port = entry == null ? 0 : entry.service().healthCheckPort();
            if (port == 0) {
                return;
            }
            try {
                Check check = checks.get(name);
                if (check == null) {
                    check = new Check(name, port);
                    checks.put(name, check);
                }
                check.endpoints = endpointsHere(entry);
            } catch (IOException e) {
                troubles.put(
                        name,
                        new Trouble(
                                "FailedToStartServiceHealthcheck",
                                "node %s failed to start healthcheck \"%s\" on port %d: %s"
                                        .formatted(node, name, port, e.getMessage())));
            }
        });
        return troubles;
    }

    /** How many pods on this node take new connections; one with an address of each family is one. */
    private long endpointsHere(ServiceEntry entry) {
        Map<Boolean, Long> byFamily = entry.groups().stream()
                .flatMap(group -> group.endpoints().stream())
                .filter(EndpointGroup.Endpoint::ready)
                .filter(endpoint -> endpoint.nodeName().filter(node::equals).isPresent())
                .map(EndpointGroup.Endpoint::ip)
                .distinct()
                .collect(Collectors.partitioningBy(Ip::v6, Collectors.counting()));
        return Math.max(byFamily.get(true), byFamily.get(false));
    }

    @Override
    public void close() {
        following.close();
        checks.values().forEach(Check::close);
        checks.clear();
    }

    /** The port of one Service. */
    private static final class Check {
        private final NamespacedName service;
        private final int port;
        private final HttpServer server;
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private volatile long endpoints;

        Check(NamespacedName service, int port) throws IOException {
            this.service = service;
            this.port = port;
            server = HttpServer.create(new InetSocketAddress(port), BACKLOG, "/", this::answer);
            server.setExecutor(threads);
            server.start();
        }

        private void answer(HttpExchange exchange) throws IOException {
            long here = endpoints;
            byte[] body =
                    """
                    {"service":{"namespace":"%s","name":"%s"},"localEndpoints":%d,"serviceProxyHealthy":true}\
                    """.formatted(service.namespace(), service.name(), here).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("X-Load-Balancing-Endpoint-Weight", Long.toString(here));
            exchange.sendResponseHeaders(here > 0 ? 200 : 503, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }

        void close() {
            server.stop(0);
            threads.close();
        }
    }
}
