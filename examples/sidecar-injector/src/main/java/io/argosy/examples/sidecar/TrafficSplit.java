package io.argosy.examples.sidecar;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Map;

/** Says which services stand behind a service, and what share of its connections each of them gets. */
@Group("mesh.example.com")
@Version("v1")
@ValidationRule(value = "has(self.spec)", message = "there must be a spec")
@AdditionalPrinterColumn(name = "WEIGHTS", jsonPath = ".spec.weights")
public final class TrafficSplit extends CustomResource<TrafficSplit.Spec, Void> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The one thing that is edited while pods run. */
    public static final class Spec {
        @Required
        @PrinterColumn
        public String service;

        /** By the names of services. */
        @Required
        @Size(min = 1, max = 20)
        @ValidationRule(
                value = "self.all(s, self[s] >= 0) && self.exists(s, self[s] > 0)",
                message = "weights are not negative, and one is above zero")
        public Map<String, Integer> weights;
    }

    /** The share of this service in a hundred. */
    int percent(String backend) {
        long all = getSpec().weights.values().stream()
                .mapToLong(Integer::longValue)
                .sum();
        return (int) (100L * getSpec().weights.getOrDefault(backend, 0) / all);
    }
}
