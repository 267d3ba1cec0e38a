package io.argosy.controllers.autoscaler;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what pods use from the resource metrics API, whoever serves it. */
final class UsageReader {
    private static final GroupVersion METRICS = new GroupVersion("metrics.k8s.io", "v1beta1");
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
    /** A duration as Go writes it, such as 1m2.5s. */
    private static final Pattern WINDOW = Pattern.compile("(?:(\\d+)h)?(?:(\\d+)m)?(?:([\\d.]+)s)?");

    private final ApiTransport transport;

    UsageReader(ApiTransport transport) {
        this.transport = transport;
    }

    /** By name of pod. */
    Map<String, PodUsage> of(String namespace, String selector) throws MetricException {
        JsonNode list;
        try {
            list = Json.decodeObject(transport
                    .send(new ApiTransport.Request(
                            ApiTransport.Verb.LIST,
                            METRICS,
                            "pods",
                            namespace,
                            "",
                            "",
                            Map.of("labelSelector", selector),
                            "",
                            new byte[0]))
                    .body());
        } catch (ApiException e) {
            throw new MetricException("", "unable to fetch metrics from resource metrics API: " + e.getMessage());
        }
        Map<String, PodUsage> found = new HashMap<>();
        for (JsonNode pod : list.path("items")) {
            found.put(pod.at("/metadata/name").asText(), usage(pod));
        }
        if (found.isEmpty()) {
            throw new MetricException("", "no metrics returned from resource metrics API");
        }
        return found;
    }

    private static PodUsage usage(JsonNode pod) {
        Map<String, Map<String, Long>> containers = new HashMap<>();
        for (JsonNode container : pod.path("containers")) {
            Map<String, Long> used = new HashMap<>();
            container
                    .path("usage")
                    .properties()
                    .forEach(resource -> Amount.parse(resource.getValue().asText())
                            .ifPresent(amount -> used.put(
                                    resource.getKey(),
                                    amount.value().multiply(THOUSAND).longValue())));
            containers.put(container.path("name").asText(), used);
        }
        return new PodUsage(
                Instant.parse(pod.path("timestamp").asText()),
                window(pod.path("window").asText()),
                containers);
    }

    private static Duration window(String text) {
        Matcher parts = WINDOW.matcher(text);
        if (!parts.matches()) {
            return Duration.ZERO;
        }
        Duration window = Duration.ofHours(number(parts.group(1))).plusMinutes(number(parts.group(2)));
        return parts.group(3) == null
                ? window
                : window.plusMillis(
                        new BigDecimal(parts.group(3)).multiply(THOUSAND).longValue());
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
