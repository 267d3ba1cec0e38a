package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.quantity.Amount;
import io.argosy.server.validation.Spot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a pod's volumes are made of. */
public final class Volumes {
    private static final String FILE_MODE = "must be a number between 0 and 0777 (octal), both inclusive";
    private static final int LARGEST_MODE = 0777;
    private static final long SHORTEST_TOKEN = 600;
    private static final long LONGEST_TOKEN = 1L << 32;
    private static final List<String> HOST_PATH_TYPES = List.of(
            "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket");
    private static final List<String> FIELDS =
            List.of("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid");

    private Volumes() {}

    /** Checks all; returns those that can be mounted, by name. */
    static Map<String, JsonNode> check(Spot spec) {
        Map<String, JsonNode> volumes = new HashMap<>();
        for (Spot volume : spec.each("volumes")) {
            source(volume);
            Spot name = volume.at("name");
            if (name.needed()) {
                name.label();
                if (volumes.put(name.text(), volume.value()) != null) {
                    name.duplicate(name.text());
                }
            }
        }
        return volumes;
    }

    private static void source(Spot volume) {
        int given = 0;
        for (Spot source : members(volume)) {
            if (++given > 1) {
                source.forbidden("may not specify more than 1 volume type");
            } else {
                one(kind(source), source);
            }
        }
        if (given == 0) {
            volume.required("must specify a volume type");
        }
    }

    private static List<Spot> members(Spot owner) {
        return owner.value().properties().stream()
                .filter(field ->
                        !field.getKey().equals("name") && !field.getValue().isNull())
                .map(field -> owner.at(field.getKey()))
                .toList();
    }

    private static String kind(Spot source) {
        return source.path().substring(source.path().lastIndexOf('.') + 1);
    }

    private static void one(String kind, Spot source) {
        switch (kind) {
            case "emptyDir" -> {
                String limit = source.text("sizeLimit");
                if (Amount.parse(limit).orElse(Amount.ZERO).compareTo(Amount.ZERO) < 0) {
                    source.at("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity");
                }
                source.at("medium").oneOf(List.of("", "HugePages", "HugePages-1Gi", "HugePages-2Mi", "Memory"));
            }
            case "hostPath", "nfs" -> onMachine(kind, source);
            case "secret" -> files(source, "secretName");
            case "configMap" -> files(source, "name");
            case "persistentVolumeClaim" -> source.at("claimName").needed();
            case "downwardAPI" -> {
                mode(source.at("defaultMode"));
                source.each("items").forEach(Volumes::downwardFile);
            }
            case "projected" -> {
                mode(source.at("defaultMode"));
                projected(source);
            }
            case "csi" -> {
                if (source.at("driver").needed()) {
                    source.at("driver").subdomain();
                }
            }
            case "ephemeral" -> {
                if (!source.has("volumeClaimTemplate")) {
                    source.at("volumeClaimTemplate").required();
                } else {
                    ClaimRules.template(source.at("volumeClaimTemplate"));
                }
            }
            case "image" -> {
                source.at("reference").needed();
                source.at("pullPolicy").oneOf(List.of("Always", "IfNotPresent", "Never"));
            }
            case "gitRepo" -> {
                source.at("repository").needed();
                source.at("directory").descendingPath();
            }
            default -> Disks.check(kind, source);
        }
    }

    /** A folder of the node, or one that the node mounts by itself. */
    public static void onMachine(String kind, Spot source) {
        Spot path = source.at("path");
        if (kind.equals("nfs")) {
            source.at("server").needed();
            path.needed();
            if (!path.text().startsWith("/")) {
                path.invalid("must be an absolute path");
            }
        } else if (path.needed()) {
            path.noBacksteps();
            source.at("type").oneOf(HOST_PATH_TYPES);
        }
    }

    private static void files(Spot source, String name) {
        source.at(name).needed();
        mode(source.at("defaultMode"));
        source.each("items").forEach(Volumes::item);
    }

    private static void mode(Spot mode) {
        if (mode.isGiven() && (mode.number() < 0 || mode.number() > LARGEST_MODE)) {
            mode.invalid(FILE_MODE);
        }
    }

    private static void item(Spot item) {
        item.at("key").needed();
        item.at("path").needed();
        localPath(item.at("path"));
        mode(item.at("mode"));
    }

    private static void downwardFile(Spot file) {
        file.at("path").needed();
        localPath(file.at("path"));
        if (file.has("fieldRef")) {
            Environment.field(file.at("fieldRef"), FIELDS);
            if (file.has("resourceFieldRef")) {
                file.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            }
        } else if (file.has("resourceFieldRef")) {
            Environment.resource(file.at("resourceFieldRef"), true);
        } else {
            file.required("one of fieldRef and resourceFieldRef is required");
        }
        mode(file.at("mode"));
    }

    /** Files of volumes may not be called what the node calls its own. */
    private static void localPath(Spot path) {
        path.descendingPath();
        if (path.text().startsWith("..")
                && !path.text().startsWith("../")
                && !path.text().equals("..")) {
            path.invalid("must not start with '..'");
        }
    }

    private static void projected(Spot volume) {
        Set<String> paths = new HashSet<>();
        for (Spot source : volume.each("sources")) {
            List<Spot> kinds = members(source);
            for (Spot one : kinds) {
                projection(kind(one), one);
                one.each("items").forEach(item -> unique(volume, item.text("path"), paths));
                if (one.has("path")) {
                    unique(volume, one.text("path"), paths);
                }
            }
            if (kinds.size() > 1) {
                source.forbidden("may not specify more than 1 volume type per source");
            }
        }
    }

    private static void unique(Spot volume, String path, Set<String> paths) {
        if (!path.isEmpty() && !paths.add(path)) {
            volume.invalid(path, "conflicting duplicate paths");
        }
    }

    private static void projection(String kind, Spot source) {
        switch (kind) {
            case "secret", "configMap" -> files(source, "name");
            case "downwardAPI" -> source.each("items").forEach(Volumes::downwardFile);
            case "serviceAccountToken" -> {
                Spot seconds = source.at("expirationSeconds");
                if (seconds.number() < SHORTEST_TOKEN) {
                    seconds.invalid("may not specify a duration less than 10 minutes");
                } else if (seconds.number() > LONGEST_TOKEN) {
                    seconds.invalid("may not specify a duration larger than 2^32 seconds");
                }
                if (source.at("path").needed()) {
                    localPath(source.at("path"));
                }
            }
            case "clusterTrustBundle" -> {
                if (source.has("name") && source.has("signerName")) {
                    source.invalid("only one of name and signerName may be used");
                } else if (!source.has("name") && !source.has("signerName")) {
                    source.required("either name or signerName must be specified");
                }
                if (source.at("path").needed()) {
                    localPath(source.at("path"));
                }
            }
            default -> {} // podCertificate, whose signer decides
        }
    }
}
