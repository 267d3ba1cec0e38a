package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Tables of services and of the pods behind them. */
final class ServiceTables {
    private ServiceTables() {}

    static TableDefinition services() {
        return TableBuilder.named()
                .text("Type", "How far the service can be reached from.", row -> row.text("spec", "type"))
                .text("Cluster-IP", "The address inside the cluster.", ServiceTables::clusterAddress)
                .text("External-IP", "The addresses for others.", ServiceTables::externalAddress)
                .text("Port(s)", "The ports, after a colon that on every node.", ServiceTables::ports)
                .age()
                .wide("Selector", "Which pods answer.", row -> SelectorText.labels(row.at("spec", "selector")))
                .build();
    }

    private static String clusterAddress(Row service) {
        String first = service.at("spec", "clusterIPs").path(0).asText("");
        return first.isEmpty() ? service.filledOr(Row.NONE, "spec", "clusterIP") : first;
    }

    private static String externalAddress(Row service) {
        String listed = service.joined("spec", "externalIPs");
        switch (service.text("spec", "type")) {
            case "ClusterIP", "NodePort" -> {
                return listed.isEmpty() ? Row.NONE : listed;
            }
            case "LoadBalancer" -> {
                String balancers = loadBalancers(service);
                if (balancers.isEmpty()) {
                    return listed.isEmpty() ? "<pending>" : listed;
                }
                return listed.isEmpty() ? balancers : balancers + "," + listed;
            }
            case "ExternalName" -> {
                return service.text("spec", "externalName");
            }
            default -> {
                return Row.UNKNOWN;
            }
        }
    }

    /** The addresses or names of the load balancers that lead to a service or ingress. */
    static String loadBalancers(Row row) {
        TreeSet<String> addresses = new TreeSet<>();
        for (JsonNode ingress : row.at("status", "loadBalancer", "ingress")) {
            String address = ingress.path("ip").asText("");
            addresses.add(address.isEmpty() ? ingress.path("hostname").asText("") : address);
        }
        addresses.remove("");
        return String.join(",", addresses);
    }

    private static String ports(Row service) {
        List<String> ports = new ArrayList<>();
        for (JsonNode port : service.at("spec", "ports")) {
            long nodePort = port.path("nodePort").asLong();
            ports.add(port.path("port").asLong() + (nodePort > 0 ? ":" + nodePort : "") + "/"
                    + port.path("protocol").asText("TCP"));
        }
        return ports.isEmpty() ? Row.NONE : String.join(",", ports);
    }

    static TableDefinition endpoints() {
        return TableBuilder.named()
                .text("Endpoints", "The addresses and ports that answer.", ServiceTables::addresses)
                .age()
                .build();
    }

    private static String addresses(Row endpoints) {
        List<String> all = new ArrayList<>();
        for (JsonNode subset : endpoints.at("subsets")) {
            JsonNode addresses = subset.path("addresses");
            if (subset.path("ports").isEmpty()) {
                addresses.forEach(address -> all.add(address.path("ip").asText()));
            }
            for (JsonNode port : subset.path("ports")) {
                addresses.forEach(address -> all.add(
                        hostPort(address.path("ip").asText(), port.path("port").asLong())));
            }
        }
        return ShortList.of(all, endpoints.at("subsets").isEmpty() ? Row.NONE : "");
    }

    private static String hostPort(String address, long port) {
        return address.indexOf(':') < 0 ? address + ":" + port : "[" + address + "]:" + port;
    }

    static TableDefinition endpointSlices() {
        return TableBuilder.named()
                .text("AddressType", "What kind of addresses are in it.", row -> row.text("addressType"))
                .text("Ports", "The ports that answer.", ServiceTables::slicePorts)
                .text("Endpoints", "The addresses that answer.", ServiceTables::sliceAddresses)
                .age()
                .build();
    }

    private static String slicePorts(Row slice) {
        List<String> ports = new ArrayList<>();
        for (JsonNode port : slice.at("ports")) {
            ports.add(
                    port.hasNonNull("port")
                            ? port.path("port").asText()
                            : port.path("name").asText("*"));
        }
        return ShortList.of(ports, Row.UNSET);
    }

    private static String sliceAddresses(Row slice) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode endpoint : slice.at("endpoints")) {
            endpoint.path("addresses").forEach(address -> addresses.add(address.asText()));
        }
        return ShortList.of(addresses, Row.UNSET);
    }
}
