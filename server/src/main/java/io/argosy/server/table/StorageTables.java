package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Tables of disks, of claims on them, and of what provides them. */
final class StorageTables {
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

    private StorageTables() {}

    static TableDefinition volumes() {
        return TableBuilder.named()
                .text("Capacity", "How much fits in.", row -> row.textOr("0", "spec", "capacity", "storage"))
                .text("Access Modes", "How it may be mounted.", row -> modes(row.at("spec", "accessModes")))
                .text(
                        "Reclaim Policy",
                        "What happens when its claim is gone.",
                        row -> row.text("spec", "persistentVolumeReclaimPolicy"))
                .text("Status", "Whether it is bound to a claim.", StorageTables::phase)
                .text("Claim", "The claim it is bound to.", StorageTables::claim)
                .text("StorageClass", "The class of storage it is of.", StorageTables::storageClass)
                .text("VolumeAttributesClass", "The class of attributes it has.", StorageTables::attributesClass)
                .text("Reason", "Why it is in its state.", row -> row.text("status", "reason"))
                .age()
                .wide("VolumeMode", "Whether it holds files or is a bare disk.", StorageTables::volumeMode)
                .build();
    }

    private static String claim(Row volume) {
        return volume.has("spec", "claimRef")
                ? volume.text("spec", "claimRef", "namespace") + "/" + volume.text("spec", "claimRef", "name")
                : "";
    }

    static TableDefinition claims() {
        return TableBuilder.named()
                .text("Status", "Whether it is bound to a volume.", StorageTables::phase)
                .text("Volume", "The volume it is bound to.", row -> row.text("spec", "volumeName"))
                .text(
                        "Capacity",
                        "How much fits into the volume.",
                        row -> bound(row) ? row.textOr("0", "status", "capacity", "storage") : "")
                .text(
                        "Access Modes",
                        "How the volume may be mounted.",
                        row -> bound(row) ? modes(row.at("status", "accessModes")) : "")
                .text("StorageClass", "The class of storage it asks for.", StorageTables::storageClass)
                .text("VolumeAttributesClass", "The class of attributes it asks for.", StorageTables::attributesClass)
                .age()
                .wide("VolumeMode", "Whether it wants files or a bare disk.", StorageTables::volumeMode)
                .build();
    }

    private static boolean bound(Row claim) {
        return !claim.text("spec", "volumeName").isEmpty();
    }

    private static String phase(Row row) {
        return row.deleting() ? "Terminating" : row.text("status", "phase");
    }

    private static String storageClass(Row row) {
        return row.has("metadata", "annotations", CLASS_ANNOTATION)
                ? row.text("metadata", "annotations", CLASS_ANNOTATION)
                : row.text("spec", "storageClassName");
    }

    private static String attributesClass(Row row) {
        return row.textOr(Row.UNSET, "spec", "volumeAttributesClassName");
    }

    private static String volumeMode(Row row) {
        return row.textOr(Row.UNSET, "spec", "volumeMode");
    }

    /** The usual abbreviations, in the usual order. */
    private static String modes(JsonNode accessModes) {
        List<String> given = new ArrayList<>();
        accessModes.forEach(mode -> given.add(mode.asText()));
        List<String> shown = new ArrayList<>();
        for (String mode : List.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")) {
            if (given.contains(mode)) {
                shown.add(
                        switch (mode) {
                            case "ReadWriteOnce" -> "RWO";
                            case "ReadOnlyMany" -> "ROX";
                            case "ReadWriteMany" -> "RWX";
                            default -> "RWOP";
                        });
            }
        }
        return String.join(",", shown);
    }

    static TableDefinition storageClasses() {
        Column expansion = new Column("AllowVolumeExpansion", "string", "", "Whether claims of the class may grow.", 0);
        return TableBuilder.rows(Row::new)
                .name(StorageTables::markedDefault)
                .text("Provisioner", "Who makes volumes of the class.", row -> row.text("provisioner"))
                .text(
                        "ReclaimPolicy",
                        "What happens to volumes whose claim is gone.",
                        row -> row.textOr("Delete", "reclaimPolicy"))
                .text(
                        "VolumeBindingMode",
                        "Whether volumes are made at once or when a pod needs them.",
                        row -> row.textOr("Immediate", "volumeBindingMode"))
                .add(expansion, TableBuilder.flag(row -> row.flag("allowVolumeExpansion")))
                .age()
                .build();
    }

    private static String markedDefault(Row storageClass) {
        boolean byDefault = storageClass
                        .text("metadata", "annotations", "storageclass.kubernetes.io/is-default-class")
                        .equals("true")
                || storageClass
                        .text("metadata", "annotations", "storageclass.beta.kubernetes.io/is-default-class")
                        .equals("true");
        return storageClass.name() + (byDefault ? " (default)" : "");
    }

    static TableDefinition attributesClasses() {
        return TableBuilder.named()
                .text("DriverName", "The driver that knows the attributes.", row -> row.text("driverName"))
                .age()
                .build();
    }

    static TableDefinition attachments() {
        return TableBuilder.named()
                .text("Attacher", "The driver that attaches the volume.", row -> row.text("spec", "attacher"))
                .text("PV", "The volume.", row -> row.text("spec", "source", "persistentVolumeName"))
                .text("Node", "The node the volume goes to.", row -> row.text("spec", "nodeName"))
                .flag("Attached", "Whether it has arrived.", row -> row.flag("status", "attached"))
                .age()
                .build();
    }

    static TableDefinition drivers() {
        return TableBuilder.named()
                .flag(
                        "AttachRequired",
                        "Whether volumes must be attached before they are mounted.",
                        row -> row.at("spec", "attachRequired").asBoolean(true))
                .flag(
                        "PodInfoOnMount",
                        "Whether the driver is told about the pod.",
                        row -> row.flag("spec", "podInfoOnMount"))
                .flag(
                        "StorageCapacity",
                        "Whether the scheduler asks how much room is left.",
                        row -> row.flag("spec", "storageCapacity"))
                .text(
                        "TokenRequests",
                        "For whom the driver gets tokens.",
                        row -> row.has("spec", "tokenRequests")
                                ? Row.join(row.at("spec", "tokenRequests"), "audience")
                                : Row.UNSET)
                .flag(
                        "RequiresRepublish",
                        "Whether volumes are mounted again and again.",
                        row -> row.flag("spec", "requiresRepublish"))
                .text("Modes", "The ways in which volumes may live.", StorageTables::lifecycles)
                .age()
                .build();
    }

    private static String lifecycles(Row driver) {
        String modes = driver.joined("spec", "volumeLifecycleModes");
        return modes.isEmpty() ? Row.NONE : modes;
    }

    static TableDefinition driverNodes() {
        return TableBuilder.named()
                .number("Drivers", "How many drivers the node has.", row -> row.count("spec", "drivers"))
                .age()
                .build();
    }
}
