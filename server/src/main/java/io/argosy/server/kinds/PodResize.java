package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.status.FieldErrors;
import java.util.List;

/** What may be done through {@code pods/resize}: containers are given more or less processor time and memory. */
final class PodResize {
    private static final List<String> LISTS = List.of("containers", "initContainers");
    private static final List<String> MUTABLE = List.of("cpu", "memory");

    private PodResize() {}

    /** Takes back every other change; where containers do not match those of the pod, the rules say so. */
    static void confine(ObjectNode pod, ObjectNode before) {
        for (String list : LISTS) {
            if (pod.path("spec").path(list).size()
                    != before.path("spec").path(list).size()) {
                return;
            }
        }
        ObjectNode spec = before.path("spec").deepCopy();
        for (String list : LISTS) {
            List<ObjectNode> wanted = objects(pod.path("spec"), list);
            List<ObjectNode> kept = objects(spec, list);
            if (!names(wanted).equals(names(kept))) {
                spec.set(list, pod.path("spec").path(list));
                continue;
            }
            for (int i = 0; i < kept.size(); i++) {
                take(wanted.get(i), kept.get(i), "resources");
                take(wanted.get(i), kept.get(i), "resizePolicy");
            }
        }
        pod.set("spec", spec);
        PodStrategy.keepMetadata(pod, before);
    }

    private static List<String> names(List<ObjectNode> containers) {
        return containers.stream()
                .map(container -> container.path("name").asText())
                .toList();
    }

    private static void take(ObjectNode from, ObjectNode to, String field) {
        if (from.hasNonNull(field)) {
            to.set(field, from.get(field));
        } else {
            to.remove(field);
        }
    }

    static void check(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        if (PodStrategy.isMirror(before)) {
            errors.forbidden("", "static pods cannot be resized");
            return;
        }
        if (before.path("spec").path("os").path("name").asText().equals("windows")) {
            errors.forbidden("", "windows pods cannot be resized");
            return;
        }
        String quality = before.path("status").path("qosClass").asText(QualityOfService.of(before.path("spec")));
        if (!quality.equals(QualityOfService.of(pod.path("spec")))) {
            errors.invalid("spec", quality, "Pod QOS Class may not change as a result of resizing");
        }
        if (saysResources(pod) || saysResources(before)) {
            errors.forbidden(
                    "",
                    "resize of pods with pod-level resources is forbidden when"
                            + " InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled");
        } else if (inOrder(pod, before, errors)) {
            LISTS.forEach(list -> amounts(list, pod, before, errors));
        }
    }

    private static boolean saysResources(ObjectNode pod) {
        JsonNode resources = pod.path("spec").path("resources");
        return !resources.path("requests").isEmpty()
                || !resources.path("limits").isEmpty();
    }

    private static boolean inOrder(ObjectNode pod, ObjectNode before, FieldErrors errors) {
        boolean same = true;
        for (String list : LISTS) {
            List<String> now = names(objects(pod.path("spec"), list));
            List<String> was = names(objects(before.path("spec"), list));
            if (now.size() != was.size()) {
                errors.forbidden("spec." + list, list + " may not be added or removed on resize");
            } else {
                for (int i = 0; i < was.size(); i++) {
                    if (!now.get(i).equals(was.get(i))) {
                        errors.forbidden(
                                "spec." + list + "[" + i + "].name",
                                list + " may not be renamed or reordered on resize");
                    }
                }
            }
            same &= now.equals(was);
        }
        return same;
    }

    private static void amounts(String list, ObjectNode pod, ObjectNode before, FieldErrors errors) {
        List<ObjectNode> now = objects(pod.path("spec"), list);
        List<ObjectNode> was = objects(before.path("spec"), list);
        boolean init = list.equals("initContainers");
        for (int i = 0; i < was.size(); i++) {
            boolean sidecar = was.get(i).path("restartPolicy").asText().equals("Always");
            if (init && !sidecar) {
                if (!now.get(i).equals(was.get(i))) {
                    errors.forbidden("spec", "resources for non-sidecar init containers are immutable");
                }
                continue;
            }
            removals("spec." + list + "[" + i + "].resources", now.get(i), was.get(i), errors);
            if (!withoutMutable(now.get(i)).equals(withoutMutable(was.get(i)))) {
                errors.forbidden(
                        "spec",
                        init
                                ? "only cpu and memory resources for sidecar containers are mutable"
                                : "only cpu and memory resources are mutable");
            }
        }
    }

    private static void removals(String path, ObjectNode now, ObjectNode was, FieldErrors errors) {
        for (String kind : List.of("requests", "limits")) {
            JsonNode left = now.path("resources").path(kind);
            was.path("resources").path(kind).fieldNames().forEachRemaining(resource -> {
                if (!left.has(resource)) {
                    errors.forbidden(path + "." + kind, "resource " + kind + " cannot be removed");
                }
            });
        }
    }

    private static ObjectNode withoutMutable(ObjectNode container) {
        ObjectNode rest = container.deepCopy();
        ObjectNode resources = child(rest, "resources");
        for (String kind : List.of("requests", "limits")) {
            child(resources, kind).remove(MUTABLE);
        }
        return rest;
    }
}
