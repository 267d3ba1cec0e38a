package io.argosy.examples.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.client.Client;
import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is put into a pod: the containers that a ConfigMap defines, and for the proxy among them a configuration made of the splits there are. */
final class Injection {
    private static final Path CONTAINERS = Path.of("/etc/sidecar/initContainers.yaml");

    private final Client client;
    private final String agent;

    /** The agent is the host that the proxies ask for weights. */
    Injection(Client client, String agent) {
        this.client = client;
        this.agent = agent;
    }

    /** The JSON patch of a pod; empty for one that has the containers. What is left out on the way is told in the warnings. */
    ArrayNode patch(JsonNode pod, String namespace, List<String> warnings) throws IOException {
        ArrayNode containers = (ArrayNode) Yaml.decode(Files.readAllBytes(CONTAINERS));
        ArrayNode patch = Json.NODES.arrayNode();
        JsonNode own = pod.at("/spec/initContainers");
        String first = containers.get(0).path("name").asText();
        if (own.findValuesAsText("name").contains(first)) {
            return patch;
        }
        String configuration = configuration(namespace, warnings);
        for (JsonNode container : containers) {
            ((ObjectNode) container)
                    .withArray("env")
                    .addObject()
                    .put("name", "PROXY_CONFIGURATION")
                    .put("value", configuration);
        }
        own.forEach(containers::add);
        patch.addObject().put("op", "add").put("path", "/spec/initContainers").set("value", containers);
        return patch;
    }

    /** Of haproxy. Nothing gets a connection before the agent has given it a weight, and the app does not start before all have one. */
    private String configuration(String namespace, List<String> warnings) {
        StringBuilder ready = new StringBuilder("""
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                frontend ready
                  mode http
                  bind :15021
                  monitor-uri /ready
                """);
        StringBuilder out = new StringBuilder("frontend out\n  bind 127.0.0.1:15001\n");
        StringBuilder backends =
                new StringBuilder("  default_backend original\nbackend original\n  server original 0.0.0.0\n");
        for (TrafficSplit split : client.resources(TrafficSplit.class).list(namespace, Map.of())) {
            String name = split.getMetadata().getName();
            Optional<String> from = address(namespace, split.getSpec().service, warnings);
            if (from.isEmpty()) {
                continue;
            }
            out.append("  use_backend %s if { dst %s }\n".formatted(name, from.get()));
            backends.append(
                    "backend %s\n  default-server weight 100 disabled agent-check agent-inter 1s agent-addr %s agent-port %d\n"
                            .formatted(name, agent, WeightAgent.PORT));
            for (String to : split.getSpec().weights.keySet()) {
                address(namespace, to, warnings).ifPresent(address -> {
                    ready.append("  monitor fail unless { srv_is_up(%s/%s) }\n".formatted(name, to));
                    backends.append(
                            "  server %s %s agent-send %s/%s/%s\\n\n".formatted(to, address, namespace, name, to));
                });
            }
        }
        return ready.append(out).append(backends).toString();
    }

    private Optional<String> address(String namespace, String service, List<String> warnings) {
        Optional<String> address = client.resources(Service.class)
                .find(namespace, service)
                .map(found -> found.getSpec().getClusterIP())
                .filter(ip -> !ip.equals("None"));
        if (address.isEmpty()) {
            warnings.add("the proxy does not know service " + service + ", which has no address");
        }
        return address;
    }
}
