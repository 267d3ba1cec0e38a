package io.argosy.node.agent.admission;

import io.argosy.node.agent.pod.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;

/** A pod that is made for another operating system does not run here, whoever sent it. */
final class SystemRule {
    private static final String OWN = "linux";
    private static final String LABEL = "kubernetes.io/os";

    private SystemRule() {}

    static Optional<PodView.Ending> refusal(Pod pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        if (labels != null && !labels.getOrDefault(LABEL, OWN).equals(OWN)) {
            return Optional.of(new PodView.Ending(
                    "PodOSSelectorNodeLabelDoesNotMatch",
                    "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"));
        }
        boolean foreign = pod.getSpec().getOs() != null
                && !OWN.equals(pod.getSpec().getOs().getName());
        return foreign
                ? Optional.of(new PodView.Ending(
                        "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"))
                : Optional.empty();
    }
}
