package io.argosy.controllers.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.model.Models;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.ScaleHand;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What metrics of pods, objects and things outside ask for, and how they are asked for. */
class OtherMetricsTest {
    private static final ReplicaCalculator.Tolerance TOLERANCE = new ReplicaCalculator.Tolerance(0.1, 0.1);

    /** The metrics there are, by path. */
    private final Map<String, String> served = new HashMap<>();

    private final List<String> asked = new ArrayList<>();
    private final List<Pod> pods = new ArrayList<>(List.of(pod("a", "True"), pod("b", "True")));

    private static Pod pod(String name, String ready) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withPhase("Running")
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build();
    }

    private Metrics.Proposal propose(String metric) throws MetricException {
        ResourceCatalog catalog = new ResourceCatalog() {
            @Override
            public List<ApiResource> resources() {
                return List.of(new ApiResource(
                        new GroupVersion("networking.k8s.io", "v1"), "ingresses", "Ingress", true, Set.of("get")));
            }

            @Override
            public void onChange(Runnable listener) {}
        };
        return new OtherMetrics(
                        new OtherMetricsReader(new Served()),
                        catalog,
                        "shop",
                        new ScaleHand.Scale("u", 2, 2, "app=web", Json.NODES.objectNode()),
                        pods,
                        TOLERANCE)
                .propose(spec(metric));
    }

    private static MetricSpec spec(String json) {
        return Models.decode(
                Json.decodeObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)), MetricSpec.class);
    }

    private final class Served implements ApiTransport {
        @Override
        public Response send(Request request) {
            String path = request.groupVersion() + "/" + request.namespace() + "/" + request.resource()
                    + (request.name().isEmpty() ? "" : "/" + request.name())
                    + (request.subresource().isEmpty() ? "" : "/" + request.subresource());
            asked.add(path + new java.util.TreeMap<>(request.query()));
            String items = served.get(path);
            if (items == null) {
                throw new ApiException(Reason.NotFound, "the server could not find the requested resource");
            }
            return new Response(("{'items':" + items + "}").replace('\'', '"').getBytes(StandardCharsets.UTF_8), 0);
        }

        @Override
        public Watch watch(Request request, WatchSink sink) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aMetricOfPodsIsAveragedOverThem() throws MetricException {
        served.put(
                "custom.metrics.k8s.io/v1beta2/shop/pods/*/rps",
                "[{'describedObject':{'name':'a'},'value':'150'},{'describedObject':{'name':'b'},'value':'250500m'}]");
        Metrics.Proposal proposal = propose("{'type':'Pods','pods':{'metric':{'name':'rps','selector':"
                + "{'matchLabels':{'verb':'GET'}}},'target':{'type':'AverageValue','averageValue':'100'}}}");
        assertThat(proposal.replicas()).isEqualTo(5);
        assertThat(proposal.name()).isEqualTo("pods metric rps");
        assertThat(proposal.status().getPods().getCurrent().getAverageValue()).hasToString("200250m");
        assertThat(asked)
                .containsExactly("custom.metrics.k8s.io/v1beta2/shop/pods/*/rps{labelSelector=app=web,"
                        + " metricLabelSelector=verb=GET}");
    }

    @Test
    void aPodWithoutTheMetricHoldsGrowthBack() throws MetricException {
        pods.add(pod("c", "True"));
        served.put(
                "custom.metrics.k8s.io/v1beta1/shop/pods/*/rps",
                "[{'describedObject':{'name':'a'},'value':'200'},{'describedObject':{'name':'b'},'value':'200'}]");
        assertThat(propose("{'type':'Pods','pods':{'metric':{'name':'rps'},"
                                + "'target':{'type':'AverageValue','averageValue':'100'}}}")
                        .replicas())
                .isEqualTo(4);
        assertThat(asked).hasSize(2); // an adapter may serve the older version only
    }

    @Test
    void aMetricOfAnObjectIsBorneByThePodsThatAreReady() throws MetricException {
        pods.add(pod("c", "False"));
        served.put("custom.metrics.k8s.io/v1beta2/shop/ingresses.networking.k8s.io/main/rps", "[{'value':'3k'}]");
        String ingress = "'describedObject':{'apiVersion':'networking.k8s.io/v1','kind':'Ingress','name':'main'}";
        Metrics.Proposal total = propose("{'type':'Object','object':{'metric':{'name':'rps'}," + ingress
                + ",'target':{'type':'Value','value':'1k'}}}");
        assertThat(total.replicas()).isEqualTo(6);
        assertThat(total.name()).isEqualTo("Ingress metric rps");
        assertThat(total.status().getObject().getCurrent().getValue()).hasToString("3k");
        Metrics.Proposal shared = propose("{'type':'Object','object':{'metric':{'name':'rps'}," + ingress
                + ",'target':{'type':'AverageValue','averageValue':'1k'}}}");
        assertThat(shared.replicas()).isEqualTo(3);
        assertThat(shared.name()).isEqualTo("external metric rps(nil)");
        assertThat(shared.status().getObject().getCurrent().getAverageValue()).hasToString("1500");
    }

    @Test
    void aMetricOfTheNamespaceIsAskedForByItsOwnPath() throws MetricException {
        served.put("custom.metrics.k8s.io/v1beta2/shop/metrics/load", "[{'value':'2'}]");
        assertThat(propose("{'type':'Object','object':{'metric':{'name':'load'},"
                                + "'describedObject':{'kind':'Namespace','name':'whatever'},"
                                + "'target':{'type':'Value','value':'2100m'}}}")
                        .replicas())
                .isEqualTo(2); // near enough
    }

    @Test
    void valuesFromOutsideAreAddedUp() throws MetricException {
        served.put("external.metrics.k8s.io/v1beta1/shop/queue", "[{'value':'30'},{'value':'60'}]");
        String selector = "'selector':{'matchLabels':{'name':'orders'},'matchExpressions':"
                + "[{'key':'zone','operator':'In','values':['b','a']}]}";
        Metrics.Proposal shared = propose("{'type':'External','external':{'metric':{'name':'queue'," + selector
                + "},'target':{'type':'AverageValue','averageValue':'20'}}}");
        assertThat(shared.replicas()).isEqualTo(5);
        assertThat(shared.name())
                .isEqualTo("external metric queue(&LabelSelector{MatchLabels:map[string]string{name: orders,},"
                        + "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:zone,Operator:In,"
                        + "Values:[b a],},},})");
        assertThat(shared.status().getExternal().getCurrent().getAverageValue()).hasToString("45");
        assertThat(asked)
                .containsExactly("external.metrics.k8s.io/v1beta1/shop/queue{labelSelector=name=orders,zone in (a,b)}");
        Metrics.Proposal total = propose("{'type':'External','external':{'metric':{'name':'queue'},"
                + "'target':{'type':'Value','value':'30'}}}");
        assertThat(total.replicas()).isEqualTo(6);
        assertThat(total.status().getExternal().getCurrent().getValue()).hasToString("90");
    }

    @Test
    void whatNobodyServesIsSaidInTheUsualWords() {
        assertThatThrownBy(() -> propose("{'type':'Pods','pods':{'metric':{'name':'rps'},"
                        + "'target':{'type':'AverageValue','averageValue':'100'}}}"))
                .hasMessage("unable to get metric rps: unable to fetch metrics from custom metrics API:"
                        + " no custom metrics API (custom.metrics.k8s.io) registered");
        assertThatThrownBy(() -> propose("{'type':'External','external':{'metric':{'name':'queue'},"
                        + "'target':{'type':'Value','value':'30'}}}"))
                .hasMessage(
                        "unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics"
                                + " API: the server could not find the requested resource (get"
                                + " queue.external.metrics.k8s.io)");
        served.put("external.metrics.k8s.io/v1beta1/shop/queue", "[]");
        assertThatThrownBy(() -> propose("{'type':'External','external':{'metric':{'name':'queue'},"
                        + "'target':{'type':'Value','value':'30'}}}"))
                .hasMessage(
                        "unable to get external metric shop/queue/nil: no metrics returned from external metrics API");
    }
}
