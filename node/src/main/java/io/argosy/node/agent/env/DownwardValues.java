package io.argosy.node.agent.env;

import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceFieldSelector;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a pod may learn of itself: its fields and its containers' resources, in the text the downward API gives them.
 *
 * @param podIps the addresses of the sandbox, empty while there is none
 * @param hostIps the addresses of the node
 * @param allocatable what the node has, in whole units, standing in for limits that neither a container nor its pod sets
 */
public record DownwardValues(Pod pod, List<String> podIps, List<String> hostIps, Map<String, BigDecimal> allocatable) {

    /** The value of a field path; a path that names nothing is refused in kubelet's words. */
    public String field(String path) {
        int open = path.indexOf('[');
        if (open > 0 && path.endsWith("]")) {
            String key = path.substring(open + 1, path.length() - 1).replaceAll("^['\"]|['\"]$", "");
            return switch (path.substring(0, open)) {
                case "metadata.labels" -> orEmpty(pod.getMetadata().getLabels()).getOrDefault(key, "");
                case "metadata.annotations" ->
                    orEmpty(pod.getMetadata().getAnnotations()).getOrDefault(key, "");
                default -> throw unknown(path);
            };
        }
        return switch (path) {
            case "metadata.name" -> PodFacts.name(pod);
            case "metadata.namespace" -> PodFacts.namespace(pod);
            case "metadata.uid" -> PodFacts.uid(pod);
            case "metadata.labels" -> lines(pod.getMetadata().getLabels());
            case "metadata.annotations" -> lines(pod.getMetadata().getAnnotations());
            case "spec.nodeName" -> orEmpty(pod.getSpec().getNodeName());
            case "spec.serviceAccountName" -> orEmpty(pod.getSpec().getServiceAccountName());
            case "spec.hostname" -> orEmpty(pod.getSpec().getHostname());
            case "status.hostIP" -> first(hostIps);
            case "status.hostIPs" -> String.join(",", hostIps);
            case "status.podIP" -> first(podIps);
            case "status.podIPs" -> String.join(",", podIps);
            default -> throw unknown(path);
        };
    }

    /** A container's request or limit, divided as the selector says, rounded up. */
    public String resource(Container container, ResourceFieldSelector selector) {
        String path = selector.getResource();
        boolean request = path.startsWith("requests.");
        if (!request && !path.startsWith("limits.")) {
            throw new IllegalArgumentException("unsupported container resource : " + path);
        }
        String resource = path.substring(path.indexOf('.') + 1);
        BigDecimal amount = PodFacts.amount(container.getResources(), request, resource);
        if (amount.signum() == 0 && request) {
            amount = PodFacts.amount(container.getResources(), false, resource);
        } else if (amount.signum() == 0) {
            boolean shared = resource.equals("cpu") || resource.equals("memory");
            BigDecimal ofPod = PodFacts.amount(pod.getSpec().getResources(), false, resource);
            amount = shared && ofPod.signum() > 0 ? ofPod : allocatable(resource);
        }
        Quantity divisor = selector.getDivisor();
        BigDecimal by = divisor == null ? BigDecimal.ONE : Quantity.getAmountInBytes(divisor);
        if (by.signum() == 0) {
            by = BigDecimal.ONE;
        }
        return amount.divide(by, 0, RoundingMode.CEILING).toPlainString();
    }

    /** What of it the node has for all pods together; zero if that is not known. */
    public BigDecimal allocatable(String resource) {
        return allocatable.getOrDefault(resource, BigDecimal.ZERO);
    }

    private static IllegalArgumentException unknown(String path) {
        return new IllegalArgumentException("unsupported fieldPath: " + path);
    }

    /** Labels or annotations as a file: sorted lines of {@code key="value"}. */
    private static String lines(Map<String, String> map) {
        return new TreeMap<>(orEmpty(map))
                .entrySet().stream()
                        .map(e -> e.getKey() + "=" + quote(e.getValue()))
                        .collect(Collectors.joining("\n"));
    }

    /** A text in quotes as Go writes it. */
    public static String quote(String value) {
        StringBuilder out = new StringBuilder("\"");
        value.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> out.appendCodePoint(c);
            }
        });
        return out.append('"').toString();
    }

    private static String first(List<String> values) {
        return values.isEmpty() ? "" : values.getFirst();
    }

    private static String orEmpty(String value) {
        return value == null ? "" : value;
    }

    private static Map<String, String> orEmpty(Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
