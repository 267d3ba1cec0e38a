package io.argosy.node.agent.spec;

import io.argosy.node.runtime.SecurityContext.AppArmor;
import io.fabric8.kubernetes.api.model.AppArmorProfile;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;

/** The AppArmor profile that a pod's author chose for a container: its own, an annotation's as of old, or the pod's. */
public final class AppArmorProfiles {
    private static final String ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";
    private static final String LOCALHOST = "localhost/";

    private AppArmorProfiles() {}

    /** Empty where nobody said anything. */
    public static Optional<AppArmor> asked(Pod pod, Container container) {
        var own = container.getSecurityContext();
        if (own != null && own.getAppArmorProfile() != null) {
            return Optional.of(of(own.getAppArmorProfile()));
        }
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String annotation = annotations == null ? null : annotations.get(ANNOTATION + container.getName());
        if (annotation != null) {
            return annotated(annotation);
        }
        var shared = pod.getSpec().getSecurityContext();
        return shared == null || shared.getAppArmorProfile() == null
                ? Optional.empty()
                : Optional.of(of(shared.getAppArmorProfile()));
    }

    private static AppArmor of(AppArmorProfile profile) {
        return switch (profile.getType()) {
            case "Localhost" -> new AppArmor.Localhost(profile.getLocalhostProfile());
            case "Unconfined" -> new AppArmor.Unconfined();
            default -> new AppArmor.RuntimeDefault();
        };
    }

    private static Optional<AppArmor> annotated(String value) {
        if (value.startsWith(LOCALHOST)) {
            return Optional.of(new AppArmor.Localhost(value.substring(LOCALHOST.length())));
        }
        return switch (value) {
            case "unconfined" -> Optional.of(new AppArmor.Unconfined());
            case "runtime/default" -> Optional.of(new AppArmor.RuntimeDefault());
            default -> Optional.empty();
        };
    }
}
