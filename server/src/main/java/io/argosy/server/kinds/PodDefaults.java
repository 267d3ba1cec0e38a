package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.replaceZero;
import static io.argosy.server.kinds.Trees.setDefault;
import static io.argosy.server.kinds.Trees.showEmpty;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** What a pod, or the template of one, means where it says nothing. */
final class PodDefaults {
    private static final int FILE_MODE = 0644;

    private PodDefaults() {}

    static void pod(ObjectNode pod) {
        ObjectNode spec = child(pod, "spec");
        setDefault(spec, "enableServiceLinks", true);
        for (String list : List.of("initContainers", "containers")) {
            objects(spec, list).forEach(PodDefaults::requestsFromLimits);
        }
        PodLevelDefaults.fill(spec);
        spec(spec);
        if (spec.path("terminationGracePeriodSeconds").asLong() < 0) {
            // Of pods alone: a template keeps what it says.
            spec.put("terminationGracePeriodSeconds", 1);
        }
        if (spec.path("hostNetwork").asBoolean()) {
            hostPorts(spec);
        }
        objects(pod.path("status"), "conditions")
                .forEach(condition -> showEmpty(condition, "lastProbeTime", "lastTransitionTime"));
    }

    static void template(ObjectNode template) {
        spec(child(template, "spec"));
    }

    private static void spec(ObjectNode spec) {
        setDefault(spec, "restartPolicy", "Always");
        setDefault(spec, "terminationGracePeriodSeconds", 30);
        setDefault(spec, "dnsPolicy", "ClusterFirst");
        setDefault(spec, "schedulerName", "default-scheduler");
        child(spec, "securityContext");
        String account = spec.path("serviceAccountName").asText("");
        String older = spec.path("serviceAccount").asText("");
        if (!account.isEmpty()) {
            spec.put("serviceAccount", account);
        } else if (!older.isEmpty()) {
            spec.put("serviceAccountName", older);
        }
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            objects(spec, list).forEach(PodDefaults::container);
        }
        objects(spec, "volumes").forEach(PodDefaults::volume);
    }

    private static void container(ObjectNode container) {
        setDefault(container, "terminationMessagePath", "/dev/termination-log");
        setDefault(container, "terminationMessagePolicy", "File");
        setDefault(
                container, "imagePullPolicy", pullPolicy(container.path("image").asText()));
        child(container, "resources");
        objects(container, "ports").forEach(port -> setDefault(port, "protocol", "TCP"));
        for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (existing(container, probe) instanceof ObjectNode found) {
                probe(found);
            }
        }
        if (existing(container, "lifecycle") instanceof ObjectNode lifecycle) {
            for (String hook : List.of("postStart", "preStop")) {
                if (existing(lifecycle, hook) instanceof ObjectNode found) {
                    httpGet(found);
                }
            }
        }
        for (ObjectNode variable : objects(container, "env")) {
            if (variable.path("valueFrom").path("fieldRef") instanceof ObjectNode reference) {
                setDefault(reference, "apiVersion", "v1");
            }
            if (variable.path("valueFrom").path("fileKeyRef") instanceof ObjectNode file) {
                setDefault(file, "optional", false);
            }
        }
    }

    private static String pullPolicy(String image) {
        boolean digest = image.indexOf('@') >= 0;
        int colon = image.lastIndexOf(':');
        boolean tagged = colon > image.lastIndexOf('/');
        boolean latest = !tagged || image.substring(colon + 1).equals("latest");
        return latest && !digest ? "Always" : "IfNotPresent";
    }

    private static void probe(ObjectNode probe) {
        replaceZero(probe, "timeoutSeconds", 1);
        replaceZero(probe, "periodSeconds", 10);
        replaceZero(probe, "successThreshold", 1);
        replaceZero(probe, "failureThreshold", 3);
        httpGet(probe);
        if (existing(probe, "grpc") instanceof ObjectNode grpc && !grpc.has("service")) {
            grpc.put("service", "");
        }
    }

    private static void httpGet(ObjectNode handler) {
        if (existing(handler, "httpGet") instanceof ObjectNode get) {
            setDefault(get, "path", "/");
            setDefault(get, "scheme", "HTTP");
        }
    }

    private static void volume(ObjectNode volume) {
        if (volume.size() == 1) {
            volume.putObject("emptyDir");
        }
        for (String source : List.of("secret", "configMap", "downwardAPI", "projected")) {
            if (existing(volume, source) instanceof ObjectNode found) {
                setDefault(found, "defaultMode", FILE_MODE);
                items(found);
            }
        }
        DiskDefaults.fill(volume);
        if (existing(volume, "image") instanceof ObjectNode image) {
            setDefault(image, "pullPolicy", pullPolicy(image.path("reference").asText()));
        }
        for (ObjectNode source : objects(volume.path("projected"), "sources")) {
            if (existing(source, "serviceAccountToken") instanceof ObjectNode token) {
                setDefault(token, "expirationSeconds", 3600);
            }
            if (existing(source, "downwardAPI") instanceof ObjectNode downward) {
                items(downward);
            }
        }
        if (volume.path("ephemeral").path("volumeClaimTemplate").path("spec") instanceof ObjectNode claim) {
            setDefault(claim, "volumeMode", "Filesystem");
        }
    }

    private static void items(ObjectNode source) {
        for (ObjectNode item : objects(source, "items")) {
            if (existing(item, "fieldRef") instanceof ObjectNode reference) {
                setDefault(reference, "apiVersion", "v1");
            }
        }
    }

    private static void requestsFromLimits(ObjectNode container) {
        JsonNode limits = container.path("resources").path("limits");
        if (limits.isEmpty()) {
            return;
        }
        ObjectNode requests = child(child(container, "resources"), "requests");
        for (Map.Entry<String, JsonNode> limit : limits.properties()) {
            if (!requests.has(limit.getKey())) {
                requests.set(limit.getKey(), limit.getValue());
            }
        }
    }

    private static void hostPorts(ObjectNode spec) {
        for (String list : List.of("initContainers", "containers")) {
            for (ObjectNode container : objects(spec, list)) {
                objects(container, "ports")
                        .forEach(port -> replaceZero(
                                port, "hostPort", port.path("containerPort").asInt()));
            }
        }
    }
}
