package io.argosy.server.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.podspec.ClaimRules;
import io.argosy.server.podspec.Disks;
import io.argosy.server.podspec.Placement;
import io.argosy.server.podspec.Volumes;
import io.argosy.server.validation.Difference;
import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a persistent volume is: exactly one kind of storage, and always the same. */
public final class VolumeRules {
    /** What a volume's spec holds beside its source; whatever else stands there is a source. */
    private static final Set<String> NO_SOURCES = Set.of(
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode");

    private static final List<String> SECRETS = List.of(
            "controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef");
    private static final Pattern ROOT = Pattern.compile("/(?:\\.?/)*+\\.?");

    private VolumeRules() {}

    public static void check(Spot volume) {
        Spot spec = volume.at("spec");
        if (spec.at("accessModes").value().isEmpty()) {
            spec.at("accessModes").required();
        }
        ClaimRules.accessModes(spec.at("accessModes"));
        capacity(spec.at("capacity"));
        spec.at("persistentVolumeReclaimPolicy").oneOf(List.of("Delete", "Recycle", "Retain"));
        Spot affinity = spec.at("nodeAffinity");
        if (affinity.has("required")) {
            Placement.nodeSelector(affinity.at("required"));
        } else if (affinity.isGiven()) {
            affinity.at("required").required("must specify required node constraints");
        }
        source(spec);
        if (spec.text("persistentVolumeReclaimPolicy").equals("Recycle")
                && ROOT.matcher(spec.at("hostPath").text("path")).matches()) {
            spec.at("persistentVolumeReclaimPolicy").forbidden("may not be 'recycle' for a hostPath mount of '/'");
        }
        ClaimRules.className(spec.at("storageClassName"));
        ClaimRules.volumeMode(spec.at("volumeMode"));
        attributes(spec);
    }

    private static void capacity(Spot capacity) {
        if (capacity.value().isEmpty()) {
            capacity.required();
        }
        if (!capacity.has("storage") || capacity.value().size() > 1) {
            capacity.errors()
                    .notSupported(capacity.path(), capacity.isGiven() ? capacity.value() : null, List.of("storage"));
        }
        capacity.entries().forEach(ClaimRules::positive);
    }

    private static void attributes(Spot spec) {
        Spot attributes = spec.at("volumeAttributesClassName");
        if (!attributes.isGiven()) {
            return;
        }
        if (attributes.text().isEmpty()) {
            attributes.required("an empty string is disallowed");
        }
        ClaimRules.className(attributes);
        if (!spec.has("csi")) {
            spec.at("csi").required("has to be specified when using volumeAttributesClassName");
        }
    }

    private static void source(Spot spec) {
        List<String> sources = spec.value().properties().stream()
                .filter(field ->
                        !NO_SOURCES.contains(field.getKey()) && field.getValue().isObject())
                .map(Map.Entry::getKey)
                .toList();
        if (sources.isEmpty()) {
            spec.required("must specify a volume type");
            return;
        }
        sources.stream().skip(1).forEach(more -> spec.at(more).forbidden("may not specify more than 1 volume type"));
        Spot source = spec.at(sources.getFirst());
        switch (sources.getFirst()) {
            case "hostPath", "nfs" -> Volumes.onMachine(sources.getFirst(), source);
            case "local" -> {
                if (source.at("path").needed()) {
                    source.at("path").noBacksteps();
                }
                if (!spec.has("nodeAffinity")) {
                    spec.at("nodeAffinity").required("Local volume requires node affinity");
                }
            }
            case "csi" -> {
                StorageNodeRules.driver(source.at("driver"));
                source.at("volumeHandle").needed();
                SECRETS.stream().filter(source::has).forEach(secret -> secret(source.at(secret)));
            }
            default -> Disks.check(sources.getFirst(), source);
        }
    }

    private static void secret(Spot reference) {
        if (reference.at("name").needed()) {
            reference.at("name").subdomain();
        }
        if (reference.at("namespace").needed()) {
            reference.at("namespace").label();
        }
    }

    /** What of a volume may become something else. */
    public static void change(Spot volume, JsonNode before) {
        Spot spec = volume.at("spec");
        JsonNode was = before.path("spec");
        ObjectNode storageWas = storage(was, was);
        ObjectNode storage = storage(spec.value(), was);
        if (!storage.equals(storageWas)) {
            spec.at("persistentvolumesource")
                    .forbidden("spec.persistentvolumesource is immutable after creation\n"
                            + Difference.of(storageWas, storage));
        }
        Spot mode = spec.at("volumeMode").called("volumeMode");
        if (!mode.value().equals(was.path("volumeMode"))) {
            mode.invalid("field is immutable");
        }
        Spot affinity = spec.at("nodeAffinity").called("nodeAffinity");
        if (was.hasNonNull("nodeAffinity") && !affinity.value().equals(was.path("nodeAffinity"))) {
            affinity.invalid(
                    affinity.isGiven() ? affinity.value() : null,
                    "field is immutable, except for updating from beta label to GA");
        }
        if (was.hasNonNull("volumeAttributesClassName") && !spec.has("volumeAttributesClassName")) {
            spec.at("volumeAttributesClassName").forbidden("update from non-nil value to nil is forbidden");
        }
    }

    /** The source of a spec; with which secret the volume grows may be said once later. */
    private static ObjectNode storage(JsonNode spec, JsonNode was) {
        ObjectNode storage = spec.deepCopy();
        storage.remove(NO_SOURCES);
        if (storage.path("csi") instanceof ObjectNode csi && !was.path("csi").hasNonNull("controllerExpandSecretRef")) {
            csi.remove("controllerExpandSecretRef");
        }
        return storage;
    }
}
