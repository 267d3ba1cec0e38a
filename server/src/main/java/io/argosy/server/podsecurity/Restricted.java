package io.argosy.server.podsecurity;

import static io.argosy.server.podsecurity.Violation.named;
import static io.argosy.server.podsecurity.Violation.quoted;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The rules of good practice: what a pod must give up by itself. */
final class Restricted {
    private static final Set<String> VOLUMES = Set.of(
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "image",
            "persistentVolumeClaim",
            "projected",
            "secret");

    private Restricted() {}

    static Optional<Violation> privilegeEscalation(PodView pod, int minor) {
        if (minor >= 25 && pod.isWindows()) {
            return Optional.empty();
        }
        List<String> names = pod.containersWhose(security -> !security.has("allowPrivilegeEscalation")
                || security.path("allowPrivilegeEscalation").asBoolean());
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "allowPrivilegeEscalation != false",
                        named("container", names) + " must set securityContext.allowPrivilegeEscalation=false"));
    }

    static Optional<Violation> capabilities(PodView pod, int minor) {
        if (minor >= 25 && pod.isWindows()) {
            return Optional.empty();
        }
        Set<String> added = new TreeSet<>();
        List<String> keeping = pod.containersWhose(security -> !dropsAll(security));
        List<String> adding =
                pod.containersWhose(security -> Baseline.adds(security, Set.of("NET_BIND_SERVICE"), added));
        List<String> details = new ArrayList<>();
        if (!keeping.isEmpty()) {
            details.add(named("container", keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        if (!adding.isEmpty()) {
            details.add(named("container", adding) + " must not include " + quoted(added)
                    + " in securityContext.capabilities.add");
        }
        return details.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation("unrestricted capabilities", String.join("; ", details)));
    }

    private static boolean dropsAll(JsonNode security) {
        for (JsonNode dropped : security.path("capabilities").path("drop")) {
            if (dropped.asText().equals("ALL")) {
                return true;
            }
        }
        return false;
    }

    /** Users of its own do not help here. */
    static Optional<Violation> procMount(PodView pod, int minor) {
        return Baseline.anyProcMount(pod);
    }

    static Optional<Violation> volumes(PodView pod, int minor) {
        Set<String> types = new TreeSet<>();
        List<String> names = new ArrayList<>();
        for (JsonNode volume : pod.spec().path("volumes")) {
            volume.propertyStream()
                    .map(java.util.Map.Entry::getKey)
                    .filter(field -> !field.equals("name") && !VOLUMES.contains(field))
                    .findFirst()
                    .ifPresent(type -> {
                        types.add(type);
                        names.add(volume.path("name").asText());
                    });
        }
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "restricted volume types",
                        named("volume", names)
                                + (names.size() == 1 ? " uses " : " use ")
                                + named("restricted volume type", types)));
    }

    static Optional<Violation> runAsNonRoot(PodView pod, int minor) {
        if (minor >= 35 && pod.hasOwnUsers()) {
            return Optional.empty();
        }
        PodView.Setters setters = pod.setting("/runAsNonRoot", value -> value.isBoolean() && !value.asBoolean());
        if (!setters.none()) {
            return Optional.of(new Violation(
                    "runAsNonRoot != true", setters.joined() + " must not set securityContext.runAsNonRoot=false"));
        }
        List<String> silent = pod.withoutOwnOrPods("/runAsNonRoot", JsonNode::asBoolean);
        return silent.isEmpty()
                ? Optional.empty()
                : Optional.of(new Violation(
                        "runAsNonRoot != true",
                        "pod or " + named("container", silent) + " must set securityContext.runAsNonRoot=true"));
    }

    static Optional<Violation> runAsUser(PodView pod, int minor) {
        if (minor >= 35 && pod.hasOwnUsers()) {
            return Optional.empty();
        }
        PodView.Setters setters = pod.setting("/runAsUser", value -> value.isNumber() && value.asLong() == 0);
        return setters.none()
                ? Optional.empty()
                : Optional.of(new Violation("runAsUser=0", setters.joined() + " must not set runAsUser=0"));
    }

    static Optional<Violation> seccomp(PodView pod, int minor) {
        if (minor >= 25 && pod.isWindows()) {
            return Optional.empty();
        }
        Optional<Violation> bad = Baseline.badSeccomp(pod);
        if (bad.isPresent()) {
            return bad;
        }
        List<String> silent = pod.withoutOwnOrPods(
                "/seccompProfile/type",
                type -> Set.of("RuntimeDefault", "Localhost").contains(type.asText()));
        return silent.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Violation(
                                "seccompProfile",
                                "pod or " + named("container", silent)
                                        + " must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\""));
    }
}
