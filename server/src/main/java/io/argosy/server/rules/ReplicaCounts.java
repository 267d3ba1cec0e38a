package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;

/** What workloads tell of their pods must add up. */
public final class ReplicaCounts {
    private static final String COLLISIONS = "collisionCount";

    private ReplicaCounts() {}

    public static void deployment(Spot status, JsonNode before) {
        notNegative(
                status,
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
                "terminatingReplicas",
                COLLISIONS);
        atMostAll(status, "updatedReplicas", "readyReplicas", "availableReplicas");
        atMostReady(status, "readyReplicas");
        notDecremented(status, before);
    }

    /** Also of replication controllers. */
    public static void replicaSet(Spot status) {
        notNegative(
                status,
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "observedGeneration",
                "terminatingReplicas");
        atMostAll(status, "fullyLabeledReplicas", "readyReplicas", "availableReplicas");
        atMostReady(status, "readyReplicas");
    }

    public static void statefulSet(Spot status, JsonNode before) {
        notNegative(
                status,
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
                COLLISIONS);
        atMostAll(status, "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas");
        atMostReady(status, "status.readyReplicas");
        notDecremented(status, before);
    }

    public static void daemonSet(Spot status, JsonNode before) {
        notNegative(
                status,
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "observedGeneration",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
                COLLISIONS);
        notDecremented(status, before);
    }

    private static void notNegative(Spot status, String... counts) {
        for (String count : counts) {
            status.at(count).notNegative();
        }
    }

    private static void atMostAll(Spot status, String... counts) {
        for (String count : counts) {
            if (status.at(count).number() > status.at("replicas").number()) {
                status.at(count).invalid(status.at(count).number(), "cannot be greater than status.replicas");
            }
        }
    }

    private static void atMostReady(Spot status, String called) {
        Spot available = status.at("availableReplicas");
        if (available.number() > status.at("readyReplicas").number()) {
            available.invalid(available.number(), "cannot be greater than " + called);
        }
    }

    private static void notDecremented(Spot status, JsonNode before) {
        Spot collisions = status.at(COLLISIONS);
        if (collisions.number() < before.path(COLLISIONS).asLong()) {
            collisions.invalid(collisions.number(), "cannot be decremented");
        }
    }
}
