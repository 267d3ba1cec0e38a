package io.argosy.cluster;

import static io.argosy.cluster.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import io.argosy.api.json.Json;
import io.argosy.client.Client;
import io.argosy.client.model.Models;
import io.argosy.store.memory.MemoryLog;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An autoscaler follows a queue outside the cluster, measured by another server, under the real rights. */
@Timeout(120)
class ServedMetricsTest {
    @TempDir
    static Path folder;

    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    @Test
    void aQueueThatGrowsLongBringsMorePods() throws Exception {
        try (Cluster cluster = Cluster.builder()
                        .inMemory(new MemoryLog())
                        .simulatedNodes(1)
                        .start();
                OtherServer other = new OtherServer(folder, "external.metrics.k8s.io", "v1beta1", this::answer)) {
            Client client = cluster.client();
            other.register(client);
            client.resources(Deployment.class)
                    .create(decoded(
                            "{'metadata':{'namespace':'default','name':'worker'},'spec':{'replicas':1,'selector':"
                                    + "{'matchLabels':{'app':'worker'}},'template':{'metadata':{'labels':{'app':'worker'}},"
                                    + "'spec':{'containers':[{'name':'c','image':'worker:1'}]}}}}",
                            Deployment.class));
            client.resources(HorizontalPodAutoscaler.class)
                    .create(decoded(
                            "{'metadata':{'namespace':'default','name':'worker'},'spec':{'scaleTargetRef':"
                                    + "{'apiVersion':'apps/v1','kind':'Deployment','name':'worker'},'maxReplicas':10,"
                                    + "'metrics':[{'type':'External','external':{'metric':{'name':'queue','selector':"
                                    + "{'matchLabels':{'name':'orders'}}},'target':{'type':'AverageValue',"
                                    + "'averageValue':'30'}}}]}}",
                            HorizontalPodAutoscaler.class));
            eventually(
                    "three workers share ninety orders",
                    () -> client.resources(Deployment.class)
                                    .get("default", "worker")
                                    .getSpec()
                                    .getReplicas()
                            == 3,
                    () -> client.resources(HorizontalPodAutoscaler.class).get("default", "worker"));
            assertThat(asked)
                    .contains(
                            "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue?labelSelector=name%3Dorders");
        }
    }

    private ObjectNode answer(HttpExchange exchange) {
        String path = exchange.getRequestURI().toString();
        asked.add(path);
        ObjectNode answer = Json.object();
        if (path.contains("/queue")) {
            answer.put("kind", "ExternalMetricValueList").put("apiVersion", "external.metrics.k8s.io/v1beta1");
            answer.putArray("items").addObject().put("metricName", "queue").put("value", "90");
        } else {
            answer.put("kind", "APIResourceList")
                    .put("apiVersion", "v1")
                    .put("groupVersion", "external.metrics.k8s.io/v1beta1")
                    .putArray("resources");
        }
        return answer;
    }

    private static <T> T decoded(String json, Class<T> type) {
        return Models.decode(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type);
    }
}
