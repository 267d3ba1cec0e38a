package io.argosy.server.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;

/** What the old versions of workloads took for granted and later ones do not, so that manifests of their time still mean the same. */
final class OldWorkloads {
    /** Said by old versions where they meant for ever. */
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private static final String UPDATE_STRATEGY = "updateStrategy";

    private OldWorkloads() {}

    static void firstDeployment(ObjectNode deployment) {
        labelled(deployment);
        if (!(deployment.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        if (strategy(spec) instanceof ObjectNode strategy) {
            boolean rolls = strategy.path("type").asText("RollingUpdate").equals("RollingUpdate");
            ObjectNode rolling = strategy.get("rollingUpdate") instanceof ObjectNode given ? given : null;
            if (rolling != null || (rolls && !strategy.hasNonNull("rollingUpdate"))) {
                rolling = rolling == null ? strategy.putObject("rollingUpdate") : rolling;
                unlessSaid(rolling, "maxUnavailable", 1);
                unlessSaid(rolling, "maxSurge", 1);
            }
        }
        unlessSaid(spec, "progressDeadlineSeconds", UNLIMITED);
        unlessSaid(spec, "revisionHistoryLimit", UNLIMITED);
    }

    /** The strategy, made if there is none; something else where the client sent something else. */
    private static JsonNode strategy(ObjectNode spec) {
        return spec.hasNonNull("strategy") ? spec.get("strategy") : spec.putObject("strategy");
    }

    static void secondDeployment(ObjectNode deployment) {
        labelled(deployment);
        if (deployment.get("spec") instanceof ObjectNode spec) {
            unlessSaid(spec, "revisionHistoryLimit", 2);
        }
    }

    static void statefulSet(ObjectNode statefulSet) {
        labelled(statefulSet);
        onDelete(statefulSet);
    }

    static void daemonSet(ObjectNode daemonSet) {
        labelled(daemonSet);
        if (daemonSet.get("spec") instanceof ObjectNode spec) {
            spec.remove("templateGeneration");
        }
        onDelete(daemonSet);
    }

    static void replicaSet(ObjectNode replicaSet) {
        labelled(replicaSet);
    }

    /** The template's labels are those of the selector and of the object itself, where these are not given. */
    private static void labelled(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        spec.remove("rollbackTo");
        JsonNode labels = spec.path("template").path("metadata").path("labels");
        if (!(labels instanceof ObjectNode given) || given.isEmpty()) {
            return;
        }
        if (!spec.hasNonNull("selector")) {
            spec.putObject("selector").set("matchLabels", given.deepCopy());
        }
        if (!object.hasNonNull("metadata")) {
            object.set("metadata", Json.object());
        }
        if (object.get("metadata") instanceof ObjectNode metadata
                && metadata.path("labels").isEmpty()
                && !metadata.path("labels").isValueNode()) {
            metadata.set("labels", given.deepCopy());
        }
    }

    private static void onDelete(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        if (!spec.hasNonNull(UPDATE_STRATEGY)) {
            spec.putObject(UPDATE_STRATEGY);
        }
        if (spec.get(UPDATE_STRATEGY) instanceof ObjectNode strategy && !strategy.hasNonNull("type")) {
            strategy.put("type", "OnDelete");
        }
    }

    private static void unlessSaid(ObjectNode object, String field, int value) {
        if (!object.hasNonNull(field)) {
            object.put(field, value);
        }
    }
}
