package io.argosy.server.kinds;

import static io.argosy.server.kinds.Trees.child;
import static io.argosy.server.kinds.Trees.existing;
import static io.argosy.server.kinds.Trees.objects;
import static io.argosy.server.kinds.Trees.setDefault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What the specs of workloads mean where they say nothing. */
final class WorkloadDefaults {
    private WorkloadDefaults() {}

    static void replicas(ObjectNode spec) {
        setDefault(spec, "replicas", 1);
    }

    static void replicationController(ObjectNode spec) {
        replicas(spec);
        ObjectNode labels = child(child(child(spec, "template"), "metadata"), "labels");
        if (spec.path("selector").isEmpty() && !labels.isEmpty()) {
            spec.set("selector", labels.deepCopy());
        }
    }

    /** Jobs and the controllers of old are labelled like their pods, if nobody says otherwise. */
    static void labels(ObjectNode controller) {
        JsonNode labels =
                controller.path("spec").path("template").path("metadata").path("labels");
        if (controller.path("metadata").path("labels").isEmpty() && !labels.isEmpty()) {
            child(controller, "metadata").set("labels", labels.deepCopy());
        }
    }

    static void deployment(ObjectNode spec) {
        replicas(spec);
        setDefault(spec, "revisionHistoryLimit", 10);
        setDefault(spec, "progressDeadlineSeconds", 600);
        ObjectNode strategy = child(spec, "strategy");
        setDefault(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asText().equals("RollingUpdate")) {
            ObjectNode rolling = child(strategy, "rollingUpdate");
            setDefault(rolling, "maxUnavailable", "25%");
            setDefault(rolling, "maxSurge", "25%");
        }
    }

    static void statefulSet(ObjectNode spec) {
        replicas(spec);
        setDefault(spec, "podManagementPolicy", "OrderedReady");
        setDefault(spec, "revisionHistoryLimit", 10);
        ObjectNode strategy = child(spec, "updateStrategy");
        if (strategy.path("type").asText("").isEmpty()) {
            strategy.put("type", "RollingUpdate");
            child(strategy, "rollingUpdate");
        }
        ObjectNode rolling = existing(strategy, "rollingUpdate"); // who names the type alone has none, and needs none
        if (rolling != null && strategy.path("type").asText().equals("RollingUpdate")) {
            setDefault(rolling, "partition", 0);
        }
        ObjectNode retention = child(spec, "persistentVolumeClaimRetentionPolicy");
        setDefault(retention, "whenDeleted", "Retain");
        setDefault(retention, "whenScaled", "Retain");
        for (ObjectNode claim : objects(spec, "volumeClaimTemplates")) {
            setDefault(claim, "kind", "PersistentVolumeClaim");
            setDefault(claim, "apiVersion", "v1");
            setDefault(child(claim, "spec"), "volumeMode", "Filesystem");
            setDefault(child(claim, "status"), "phase", "Pending");
        }
    }

    static void daemonSet(ObjectNode spec) {
        setDefault(spec, "revisionHistoryLimit", 10);
        ObjectNode strategy = child(spec, "updateStrategy");
        setDefault(strategy, "type", "RollingUpdate");
        if (strategy.path("type").asText().equals("RollingUpdate")) {
            ObjectNode rolling = child(strategy, "rollingUpdate");
            setDefault(rolling, "maxUnavailable", 1);
            setDefault(rolling, "maxSurge", 0);
        }
    }
}
