package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.RuntimeInfo.Condition;
import io.argosy.node.runtime.SandboxSpec.PortMapping;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives pods their addresses by running CNI plugins: bridge with host-local, and portmap for pods with host ports.
 *
 * <p>The loopback plugin's work is done where the namespace is made, and masquerading is one nftables rule for all pods
 * instead of iptables chains for each, because a plugin run less is time saved on every pod.
 */
final class PodNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(PodNetwork.class);
    private static final String CNI_VERSION = "1.0.0";
    private static final List<String> NEEDED = List.of("bridge", "host-local");

    private final OciConfig config;
    private volatile boolean masqueraded;

    PodNetwork(OciConfig config) {
        this.config = config;
    }

    Condition condition() {
        for (String plugin : NEEDED) {
            if (!Files.isExecutable(config.cniPlugins().resolve(plugin))) {
                return Condition.notReady(
                        "NetworkPluginNotReady",
                        "container network is not ready: no CNI plugin "
                                + config.cniPlugins().resolve(plugin));
            }
        }
        return Condition.READY;
    }

    /** Connects a pod's network namespace and returns its addresses. */
    List<String> add(String sandboxId, Path namespace, List<PortMapping> ports) throws IOException {
        ensureMasquerade();
        JsonNode result = plugin("ADD", "bridge", sandboxId, namespace.toString(), bridgeConfig());
        if (!ports.isEmpty()) {
            ObjectNode portmap = portmapConfig(ports);
            portmap.set("prevResult", result);
            plugin("ADD", "portmap", sandboxId, namespace.toString(), portmap);
        }
        List<String> addresses = new ArrayList<>();
        for (JsonNode ip : result.path("ips")) {
            String address = ip.get("address").asText();
            addresses.add(address.substring(0, address.indexOf('/')));
        }
        if (addresses.isEmpty()) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "the network plugin gave no address");
        }
        return addresses;
    }

    /** Undoes {@link #add} as far as it came; a namespace that is gone only has its address given back. */
    void remove(String sandboxId, Path namespace, List<PortMapping> ports) throws IOException {
        String path = isNamespace(namespace) ? namespace.toString() : "";
        if (!ports.isEmpty()) {
            plugin("DEL", "portmap", sandboxId, path, portmapConfig(ports));
        }
        plugin("DEL", "bridge", sandboxId, path, bridgeConfig());
    }

    private static boolean isNamespace(Path file) throws IOException {
        return Files.exists(file) && Files.getFileStore(file).type().equals("nsfs");
    }

    /** Gives back addresses whose sandbox nobody knows. */
    void releaseAddresses(Predicate<String> known) throws IOException {
        Path folder = config.addresses().resolve(config.networkName());
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if ((!name.contains(".") && !name.contains(":")) || name.startsWith("last_reserved")) {
                    continue;
                }
                Optional<String> owner =
                        Files.readString(file, StandardCharsets.UTF_8).lines().findFirst();
                if (owner.isEmpty() || !known.test(owner.get().strip())) {
                    LOG.info("pod address {} belonged to nobody and is free again", name);
                    Files.deleteIfExists(file);
                }
            }
        } catch (NoSuchFileException _) {
            LOG.debug("no pod of {} ever had an address", config.networkName());
        }
    }

    /** Takes the bridge and the masquerading rule away, when no pod is left. */
    void destroy() {
        masqueraded = false;
        if (Files.exists(Path.of("/sys/class/net", config.bridge()))) {
            require(Commands.run(List.of("ip", "link", "delete", config.bridge())), "delete bridge");
        }
        if (config.masquerade()) {
            config.podCidrs()
                    .forEach(cidr -> nft("table %2$s %1$s {}\ndelete table %2$s %1$s\n"
                            .formatted(config.networkName(), isIpv6(cidr) ? "ip6" : "ip")));
        }
    }

    private static boolean isIpv6(String cidr) {
        return cidr.indexOf(':') >= 0;
    }

    private synchronized void ensureMasquerade() {
        if (masqueraded || !config.masquerade()) {
            return;
        }
        for (String cidr : config.podCidrs()) {
            nft("""
                table %4$s %1$s {}
                delete table %4$s %1$s
                table %4$s %1$s {
                  chain postrouting {
                    type nat hook postrouting priority srcnat; policy accept;
                    %4$s saddr %2$s %4$s daddr != %2$s oifname != "%3$s" %4$s daddr != %5$s masquerade
                  }
                }
                """.formatted(
                            config.networkName(),
                            cidr,
                            config.bridge(),
                            isIpv6(cidr) ? "ip6" : "ip",
                            isIpv6(cidr) ? "ff00::/8" : "224.0.0.0/4"));
        }
        masqueraded = true;
    }

    private static void nft(String rules) {
        require(Commands.run(List.of("nft", "-f", "-"), rules, Map.of()), "set nftables rules");
    }

    private static void require(Commands.Outcome outcome, String what) {
        if (!outcome.ok()) {
            throw new RuntimeFailure(RuntimeFailure.Kind.FAILED, "cannot " + what + ": " + outcome.complaint());
        }
    }

    private ObjectNode network(String type) {
        return Json.object()
                .put("cniVersion", CNI_VERSION)
                .put("name", config.networkName())
                .put("type", type);
    }

    private ObjectNode bridgeConfig() {
        ObjectNode bridge = network("bridge")
                .put("bridge", config.bridge())
                .put("isGateway", true)
                .put("hairpinMode", true);
        ObjectNode addresses = bridge.putObject("ipam").put("type", "host-local");
        addresses.put("dataDir", config.addresses().toString());
        ArrayNode ranges = addresses.putArray("ranges");
        ArrayNode routes = addresses.putArray("routes");
        for (String cidr : config.podCidrs()) {
            ranges.addArray().addObject().put("subnet", cidr);
            routes.addObject().put("dst", isIpv6(cidr) ? "::/0" : "0.0.0.0/0");
        }
        return bridge;
    }

    private ObjectNode portmapConfig(List<PortMapping> ports) {
        ObjectNode portmap = network("portmap").put("snat", true);
        for (PortMapping port : ports) {
            ObjectNode mapping = portmap.withObject("/runtimeConfig")
                    .withArray("portMappings")
                    .addObject()
                    .put("hostPort", port.hostPort())
                    .put("containerPort", port.containerPort())
                    .put("protocol", port.protocol().name().toLowerCase(Locale.ROOT));
            if (!port.hostIp().isEmpty()) {
                mapping.put("hostIP", port.hostIp());
            }
        }
        return portmap;
    }

    private JsonNode plugin(String command, String type, String sandboxId, String namespace, ObjectNode conf)
            throws IOException {
        Commands.Outcome outcome = Commands.run(
                List.of(config.cniPlugins().resolve(type).toString()),
                conf.toString(),
                Map.of(
                        "CNI_COMMAND", command,
                        "CNI_CONTAINERID", sandboxId,
                        "CNI_NETNS", namespace,
                        "CNI_IFNAME", "eth0",
                        "CNI_PATH", config.cniPlugins().toString()));
        if (!outcome.ok()) {
            throw new RuntimeFailure(
                    RuntimeFailure.Kind.FAILED,
                    "network plugin " + type + " failed to " + command.toLowerCase(Locale.ROOT) + ": "
                            + complaint(outcome));
        }
        return outcome.stdout().isBlank() ? Json.object() : Json.parse(outcome.stdout());
    }

    private static String complaint(Commands.Outcome outcome) throws IOException {
        if (!outcome.stdout().startsWith("{")) {
            return outcome.complaint();
        }
        JsonNode error = Json.parse(outcome.stdout());
        return (error.path("msg").asText() + " " + error.path("details").asText()).strip();
    }
}
