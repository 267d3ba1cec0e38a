package io.argosy.operators.cluster;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import java.util.stream.Stream;

/**
 * Gives up what a pod that does not run as root has no use for, so that the level {@code restricted} of Pod Security lets it in. One that runs
 * as root is left as it is: it may need all of that to get at its volume.
 */
public final class Confinement {
    private Confinement() {}

    /** Changes the spec and returns it. */
    public static PodSpec confine(PodSpec spec) {
        PodSecurityContext given = spec.getSecurityContext();
        if (given == null || !Boolean.TRUE.equals(given.getRunAsNonRoot())) {
            return spec;
        }
        if (given.getSeccompProfile() == null) {
            spec.setSecurityContext(new PodSecurityContextBuilder(given)
                    .withNewSeccompProfile()
                    .withType("RuntimeDefault")
                    .endSeccompProfile()
                    .build());
        }
        SecurityContext nothing = new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
        Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream())
                .forEach(container -> container.setSecurityContext(nothing));
        return spec;
    }
}
