package io.argosy.server.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;

/** What is odd about volumes, claims and classes though it is allowed. */
public final class StorageWarnings {
    private static final String CLASS = "deprecated since v1.8; use \"storageClassName\" attribute instead";

    /** Kinds of storage that are gone, and what they are called in what is said of them. */
    private static final Map<String, String> GONE = Map.of(
            "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+",
            "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+",
            "scaleIO", "deprecated in v1.16, non-functional in v1.22+",
            "flocker", "deprecated in v1.22, non-functional in v1.25+",
            "storageos", "deprecated in v1.22, non-functional in v1.25+",
            "quobyte", "deprecated in v1.22, non-functional in v1.25+",
            "glusterfs", "deprecated in v1.25, non-functional in v1.26+",
            "cephfs", "deprecated in v1.28, non-functional in v1.31+",
            "rbd", "deprecated in v1.28, non-functional in v1.31+");

    private static final List<String> NOT_SAID_OF_VOLUMES = List.of("flocker", "quobyte", "gitRepo");

    private StorageWarnings() {}

    static void source(Spot volume, Remarks remarks) {
        volume.value().fieldNames().forEachRemaining(kind -> {
            if (GONE.containsKey(kind) && volume.has(kind)) {
                remarks.of(volume.at(kind.equals("storageos") ? "storageOS" : kind), GONE.get(kind));
            }
        });
    }

    static void fraction(Spot amount, Remarks remarks) {
        Amount value = Amount.parse(amount.text()).orElse(Amount.ZERO);
        if (value.value().stripTrailingZeros().scale() > 0) {
            remarks.of(amount, "fractional byte value \"" + value + "\" is invalid, must be an integer");
        }
    }

    public static void claim(JsonNode claim, Remarks remarks) {
        Spot annotations = remarks.at(claim, "").at("metadata").at("annotations");
        String annotation = "volume.beta.kubernetes.io/storage-class";
        if (annotations.has(annotation)) {
            remarks.of(annotations.key(annotation), CLASS);
        }
        claimSpec(remarks.at(claim.path("spec"), "spec"), remarks);
    }

    public static void claimSpec(Spot spec, Remarks remarks) {
        for (String list : List.of("requests", "limits")) {
            Spot amounts = spec.at("resources").at(list);
            if (amounts.has("storage")) {
                fraction(amounts.key("storage"), remarks);
            }
        }
    }

    public static void volume(JsonNode volume, Remarks remarks) {
        Spot object = remarks.at(volume, "");
        Spot annotations = object.at("metadata").at("annotations");
        Map.of(
                        "volume.beta.kubernetes.io/storage-class",
                        CLASS,
                        "volume.beta.kubernetes.io/mount-options",
                        "deprecated since v1.31; use \"mountOptions\" attribute instead")
                .forEach((annotation, words) -> {
                    if (annotations.has(annotation)) {
                        remarks.of(annotations.key(annotation), words);
                    }
                });
        Spot spec = object.at("spec");
        if (spec.text("persistentVolumeReclaimPolicy").equals("Recycle")) {
            remarks.of(
                    spec.at("persistentVolumeReclaimPolicy"),
                    "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic"
                            + " provisioning.");
        }
        spec.at("nodeAffinity")
                .at("required")
                .each("nodeSelectorTerms")
                .forEach(term -> NodeLabels.term(term, false, remarks));
        if (NOT_SAID_OF_VOLUMES.stream().noneMatch(spec::has)) {
            source(spec, remarks);
        }
    }

    public static void storageClass(JsonNode storageClass, Remarks remarks) {
        for (Spot term : remarks.at(storageClass, "").each("allowedTopologies")) {
            term.each("matchLabelExpressions").forEach(expression -> NodeLabels.bareKey(expression.at("key"), remarks));
        }
    }
}
