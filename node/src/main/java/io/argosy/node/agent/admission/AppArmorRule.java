package io.argosy.node.agent.admission;

import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.spec.AppArmorProfiles;
import io.argosy.node.runtime.SecurityContext.AppArmor;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A pod that asks for AppArmor does not run where there is none. */
final class AppArmorRule {
    private AppArmorRule() {}

    static Optional<PodView.Ending> refusal(Pod pod, BooleanSupplier enabled) {
        boolean asked = PodFacts.all(pod).stream()
                .flatMap(container -> AppArmorProfiles.asked(pod, container).stream())
                .anyMatch(profile -> !(profile instanceof AppArmor.Unconfined));
        return asked && !enabled.getAsBoolean()
                ? Optional.of(
                        new PodView.Ending("AppArmor", "Cannot enforce AppArmor: AppArmor is not enabled on the host"))
                : Optional.empty();
    }
}
