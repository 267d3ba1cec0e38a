package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.argosy.server.validation.Spot;

/** What a Service says in annotations that were, or are, as good as fields. */
final class ServiceAnnotations {
    private static final String HINTS = "service.kubernetes.io/topology-aware-hints";
    private static final String MODE = "service.kubernetes.io/topology-mode";
    private static final String RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";

    private ServiceAnnotations() {}

    /**
     * Checks the annotations of a new Service, or one that changed.
     *
     * @param before the Service as it is, whose ranges may stay what they are; missing for a new one
     */
    static void check(Spot service, JsonNode before) {
        Spot annotations = service.at("metadata").at("annotations");
        boolean both = annotations.has(HINTS) && annotations.has(MODE);
        if (both && !annotations.text(HINTS).equals(annotations.text(MODE))) {
            annotations.key(MODE).invalid("must match annotations[" + HINTS + "] when both are specified");
        }
        Spot spec = service.at("spec");
        if (!annotations.has(RANGES)
                || !spec.at("loadBalancerSourceRanges").value().isEmpty()) {
            return; // the field goes before the annotation
        }
        Spot ranges = annotations.key(RANGES);
        if (!spec.text("type").equals("LoadBalancer")) {
            ranges.forbidden("may only be used when `type` is 'LoadBalancer'");
        }
        boolean same = ranges.value()
                .equals(before.path("metadata").path("annotations").path(RANGES));
        if (!same && !ranges.text().isBlank()) {
            for (String range : ranges.text().split(",", -1)) {
                new Spot(TextNode.valueOf(range.strip()), ranges.path(), ranges.errors()).range();
            }
        }
    }
}
