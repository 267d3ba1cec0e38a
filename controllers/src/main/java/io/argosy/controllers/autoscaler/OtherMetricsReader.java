package io.argosy.controllers.autoscaler;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads what is measured beyond cpu and memory from the servers that are registered for it; amounts are in thousandths. */
final class OtherMetricsReader {
    /** An adapter serves the newer form, the older one, or both. */
    private static final List<GroupVersion> CUSTOM = List.of(
            new GroupVersion("custom.metrics.k8s.io", "v1beta2"), new GroupVersion("custom.metrics.k8s.io", "v1beta1"));

    private static final GroupVersion EXTERNAL = new GroupVersion("external.metrics.k8s.io", "v1beta1");
    private static final String NOT_SERVED = "the server could not find the requested resource";
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

    private final ApiTransport transport;

    OtherMetricsReader(ApiTransport transport) {
        this.transport = transport;
    }

    /** What is measured of each of the pods, by name. */
    Map<String, Long> ofPods(String namespace, String selector, String metric, String metricSelector)
            throws MetricException {
        JsonNode list = custom(namespace, "pods", "*", metric, query(selector, metricSelector));
        Map<String, Long> found = new HashMap<>();
        list.path("items")
                .forEach(item -> found.put(item.at("/describedObject/name").asText(), milli(item)));
        if (found.isEmpty()) {
            throw new MetricException("", "no metrics returned from custom metrics API");
        }
        return found;
    }

    /** What is measured of one object, by its resource as {@code resource.group}. */
    long ofObject(String namespace, String resource, String name, String metric, String metricSelector)
            throws MetricException {
        JsonNode list = custom(namespace, resource, name, metric, query("", metricSelector));
        if (list.path("items").isEmpty()) {
            throw failed("custom", "the custom metrics API server returned no results for " + resource + " " + name);
        }
        return milli(list.path("items").get(0));
    }

    /** What is measured of the namespace itself. */
    long ofNamespace(String namespace, String metric, String metricSelector) throws MetricException {
        return ofObject(namespace, "metrics", metric, "", metricSelector);
    }

    /** All values of a metric of something outside the cluster, taken together. */
    long external(String namespace, String metric, String selector) throws MetricException {
        JsonNode list;
        try {
            list = read(
                    ApiTransport.Verb.LIST,
                    EXTERNAL,
                    metric,
                    namespace,
                    "",
                    "",
                    selector.isEmpty() ? Map.of() : Map.of("labelSelector", selector));
        } catch (ApiException e) {
            String where = e.getMessage().equals(NOT_SERVED) ? " (get " + metric + "." + EXTERNAL.group() + ")" : "";
            throw failed("external", e.getMessage() + where);
        }
        if (list.path("items").isEmpty()) {
            throw new MetricException("", "no metrics returned from external metrics API");
        }
        long sum = 0;
        for (JsonNode item : list.path("items")) {
            sum += milli(item);
        }
        return sum;
    }

    private JsonNode custom(String namespace, String resource, String name, String metric, Map<String, String> query)
            throws MetricException {
        for (GroupVersion version : CUSTOM) {
            try {
                return read(ApiTransport.Verb.GET, version, resource, namespace, name, metric, query);
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound) || !e.getMessage().equals(NOT_SERVED)) {
                    throw failed("custom", e.getMessage());
                }
            }
        }
        throw failed("custom", "no custom metrics API (custom.metrics.k8s.io) registered");
    }

    private static MetricException failed(String kind, String why) {
        return new MetricException("", "unable to fetch metrics from " + kind + " metrics API: " + why);
    }

    private JsonNode read(
            ApiTransport.Verb verb,
            GroupVersion version,
            String resource,
            String namespace,
            String name,
            String metric,
            Map<String, String> query) {
        return Json.decodeObject(transport
                .send(new ApiTransport.Request(
                        verb, version, resource, namespace, name, metric, query, "", new byte[0]))
                .body());
    }

    private static Map<String, String> query(String selector, String metricSelector) {
        Map<String, String> query = new HashMap<>();
        if (!selector.isEmpty()) {
            query.put("labelSelector", selector);
        }
        if (!metricSelector.isEmpty()) {
            query.put("metricLabelSelector", metricSelector);
        }
        return query;
    }

    private static long milli(JsonNode item) {
        return Amount.parse(item.path("value").asText())
                .orElse(Amount.ZERO)
                .value()
                .multiply(THOUSAND)
                .longValue();
    }
}
