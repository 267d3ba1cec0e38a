package io.argosy.examples.network;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The real world: bridges of this machine. Each bears the name of its network, so that there is nothing else to remember. */
final class Bridges {
    private static final String MARK = "network ";

    /** A bridge, and its address with the length of its prefix; empty if it has none. */
    record Bridge(String name, String address) {}

    /** The bridges that were made here, by the network they are for. */
    Map<NamespacedName, Bridge> list() throws IOException, InterruptedException {
        Map<NamespacedName, Bridge> found = new HashMap<>();
        for (JsonNode link : Json.decode(ip("-json", "-details", "address", "show", "type", "bridge"))) {
            String[] key =
                    link.path("ifalias").asText("").replaceFirst("^" + MARK, "").split("/");
            if (link.path("ifalias").asText("").startsWith(MARK) && key.length == 2) {
                String address = "";
                for (JsonNode one : link.path("addr_info")) {
                    if (one.path("family").asText().equals("inet")) {
                        address = one.path("local").asText() + "/"
                                + one.path("prefixlen").asText();
                    }
                }
                found.put(
                        NamespacedName.of(key[0], key[1]),
                        new Bridge(link.path("ifname").asText(), address));
            }
        }
        return found;
    }

    void create(String bridge, NamespacedName network) throws IOException, InterruptedException {
        ip("link", "add", "name", bridge, "type", "bridge");
        ip("link", "set", "dev", bridge, "alias", MARK + network.namespace() + "/" + network.name());
        ip("link", "set", "dev", bridge, "up");
    }

    void address(String bridge, String address) throws IOException, InterruptedException {
        ip("-4", "address", "flush", "dev", bridge);
        ip("address", "add", address, "dev", bridge);
    }

    void delete(String bridge) throws IOException, InterruptedException {
        ip("link", "delete", "dev", bridge);
    }

    private static byte[] ip(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        byte[] output = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) {
            throw new IOException(
                    String.join(" ", command) + ": " + new String(output, StandardCharsets.UTF_8).strip());
        }
        return output;
    }
}
