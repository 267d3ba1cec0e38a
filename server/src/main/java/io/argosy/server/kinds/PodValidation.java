package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a pod's spec must say, wherever it stands. */
final class PodValidation {
    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
    private static final List<String> DNS_POLICIES =
            List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

    private PodValidation() {}

    static void spec(JsonNode spec, String path, FieldErrors errors) {
        spec(spec, path, Set.of(), errors);
    }

    /** Containers may also mount the further volumes, which the pod will be given when it is made. */
    static void spec(JsonNode spec, String path, Set<String> further, FieldErrors errors) {
        Set<String> volumes = volumes(spec, path, errors);
        volumes.addAll(further);
        if (spec.path("containers").isEmpty()) {
            errors.required(path + ".containers", "");
        }
        Set<String> names = new HashSet<>();
        for (String list : List.of("initContainers", "containers")) {
            List<ObjectNode> containers = objects(spec, list);
            for (int i = 0; i < containers.size(); i++) {
                container(containers.get(i), path + "." + list + "[" + i + "]", names, volumes, errors);
            }
        }
        supported(spec, "restartPolicy", RESTART_POLICIES, path, errors);
        supported(spec, "dnsPolicy", DNS_POLICIES, path, errors);
        if (spec.path("terminationGracePeriodSeconds").asLong() < 0) {
            errors.invalid(
                    path + ".terminationGracePeriodSeconds",
                    spec.path("terminationGracePeriodSeconds").asLong(),
                    "must be greater than or equal to 0");
        }
        if (spec.has("activeDeadlineSeconds")
                && spec.get("activeDeadlineSeconds").asLong() < 1) {
            errors.invalid(
                    path + ".activeDeadlineSeconds",
                    spec.get("activeDeadlineSeconds").asLong(),
                    "must be between 1 and 2147483647, inclusive");
        }
    }

    private static Set<String> volumes(JsonNode spec, String path, FieldErrors errors) {
        Set<String> names = new HashSet<>();
        List<ObjectNode> volumes = objects(spec, "volumes");
        for (int i = 0; i < volumes.size(); i++) {
            String name = volumes.get(i).path("name").asText();
            String at = path + ".volumes[" + i + "].name";
            if (name.isEmpty()) {
                errors.required(at, "");
            } else if (!names.add(name)) {
                errors.duplicate(at, name);
            } else {
                Names.labelError(name).ifPresent(error -> errors.invalid(at, name, error));
            }
        }
        return names;
    }

    private static void container(
            ObjectNode container, String path, Set<String> names, Set<String> volumes, FieldErrors errors) {
        String name = container.path("name").asText();
        if (name.isEmpty()) {
            errors.required(path + ".name", "");
        } else if (!names.add(name)) {
            errors.duplicate(path + ".name", name);
        } else {
            Names.labelError(name).ifPresent(error -> errors.invalid(path + ".name", name, error));
        }
        String image = container.path("image").asText();
        if (image.isEmpty()) {
            errors.required(path + ".image", "");
        } else if (!image.equals(image.strip())) {
            errors.invalid(path + ".image", image, "must not have leading or trailing whitespace");
        }
        supported(container, "imagePullPolicy", PULL_POLICIES, path, errors);
        ports(container, path, errors);
        environment(container, path, errors);
        mounts(container, path, volumes, errors);
    }

    private static void ports(ObjectNode container, String path, FieldErrors errors) {
        Set<String> names = new HashSet<>();
        List<ObjectNode> ports = objects(container, "ports");
        for (int i = 0; i < ports.size(); i++) {
            String at = path + ".ports[" + i + "]";
            if (!ports.get(i).has("containerPort")) {
                errors.required(at + ".containerPort", "");
            } else {
                port(ports.get(i), "containerPort", at, errors);
            }
            if (ports.get(i).path("hostPort").asLong() != 0) {
                port(ports.get(i), "hostPort", at, errors);
            }
            String name = ports.get(i).path("name").asText();
            if (!name.isEmpty() && !names.add(name)) {
                errors.duplicate(at + ".name", name);
            }
            supported(ports.get(i), "protocol", PROTOCOLS, at, errors);
        }
    }

    static void port(JsonNode owner, String field, String path, FieldErrors errors) {
        long port = owner.path(field).asLong();
        if (port < 1 || port > 65535) {
            errors.invalid(path + "." + field, port, "must be between 1 and 65535, inclusive");
        }
    }

    private static void environment(ObjectNode container, String path, FieldErrors errors) {
        List<ObjectNode> variables = objects(container, "env");
        for (int i = 0; i < variables.size(); i++) {
            String name = variables.get(i).path("name").asText();
            String at = path + ".env[" + i + "]";
            if (name.isEmpty()) {
                errors.required(at + ".name", "");
            } else if (name.indexOf('=') >= 0) {
                errors.invalid(
                        at + ".name",
                        name,
                        "a valid environment variable name must consist only of printable ASCII characters other than '='");
            }
            if (variables.get(i).has("valueFrom")
                    && !variables.get(i).path("value").asText().isEmpty()) {
                errors.invalid(at + ".valueFrom", "", "may not be specified when `value` is not empty");
            }
        }
    }

    private static void mounts(ObjectNode container, String path, Set<String> volumes, FieldErrors errors) {
        Set<String> places = new HashSet<>();
        List<ObjectNode> mounts = objects(container, "volumeMounts");
        for (int i = 0; i < mounts.size(); i++) {
            String at = path + ".volumeMounts[" + i + "]";
            String name = mounts.get(i).path("name").asText();
            String place = mounts.get(i).path("mountPath").asText();
            if (name.isEmpty()) {
                errors.required(at + ".name", "");
            } else if (!volumes.contains(name)) {
                errors.notFound(at + ".name", name);
            }
            if (place.isEmpty()) {
                errors.required(at + ".mountPath", "");
            } else if (!places.add(place)) {
                errors.invalid(at + ".mountPath", place, "must be unique");
            }
        }
    }

    private static void supported(JsonNode owner, String field, List<String> values, String path, FieldErrors errors) {
        String value = owner.path(field).asText();
        if (!value.isEmpty() && !values.contains(value)) {
            errors.notSupported(path + "." + field, value, values);
        }
    }
}
