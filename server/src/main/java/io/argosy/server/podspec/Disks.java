package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Storage that others serve, in pods and in persistent volumes alike. */
public final class Disks {
    private static final int MOST_PARTITIONS = 255;
    private static final Pattern INITIATOR = Pattern.compile(
            "iqn\\.\\d{4}-\\d{2}\\.[a-zA-Z0-9.-]+:[^,;*&$|\\s]+|eui.[a-zA-Z0-9]{16}|naa.[a-zA-Z0-9]{32}");
    private static final String MANAGED =
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    private static final String BLOB = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

    private Disks() {}

    /** Checks a source of one of these kinds; others are somebody else's. */
    public static void check(String kind, Spot source) {
        switch (kind) {
            case "rbd" -> needed(source, "monitors", "image");
            case "cephfs" -> needed(source, "monitors");
            case "glusterfs" -> needed(source, "endpoints", "path");
            case "iscsi" -> iscsi(source);
            case "awsElasticBlockStore" -> partitioned(source, "volumeID");
            case "gcePersistentDisk" -> partitioned(source, "pdName");
            case "cinder", "portworxVolume" -> needed(source, "volumeID");
            case "photonPersistentDisk" -> needed(source, "pdID");
            case "azureDisk" -> azureDisk(source);
            case "azureFile" -> needed(source, "secretName", "shareName");
            case "vsphereVolume" -> needed(source, "volumePath");
            case "flexVolume" -> flex(source);
            case "scaleIO" -> needed(source, "gateway", "system", "volumeName");
            case "quobyte" -> quobyte(source);
            case "flocker" -> flocker(source);
            case "storageos" -> storageos(source);
            case "fc" -> fibreChannel(source);
            default -> {}
        }
    }

    public static void needed(Spot source, String... fields) {
        for (String field : fields) {
            if (source.at(field).value().isArray() && source.at(field).value().isEmpty()) {
                source.at(field).required();
            } else {
                source.at(field).needed();
            }
        }
    }

    private static void partitioned(Spot source, String id) {
        needed(source, id);
        Spot partition = source.at("partition");
        if (partition.number() < 0 || partition.number() > MOST_PARTITIONS) {
            partition.invalid("must be between 1 and 255, inclusive");
        }
    }

    private static void iscsi(Spot source) {
        needed(source, "targetPortal");
        Spot target = source.at("iqn");
        if (target.needed()) {
            initiator(target);
        }
        source.at("lun").between(0, MOST_PARTITIONS);
        boolean secret = source.isTrue("chapAuthDiscovery") || source.isTrue("chapAuthSession");
        if (secret && !source.has("secretRef")) {
            source.at("secretRef").required();
        }
        if (source.has("initiatorName")) {
            initiator(source.at("initiatorName").called(source.path() + ".initiatorname"));
        }
    }

    private static void initiator(Spot name) {
        if (!INITIATOR.matcher(name.text()).matches()) {
            name.invalid("must be valid format");
        }
    }

    private static void azureDisk(Spot source) {
        needed(source, "diskName", "diskURI");
        source.at("cachingMode").oneOf(List.of("None", "ReadOnly", "ReadWrite"));
        Spot kind = source.at("kind");
        kind.oneOf(List.of("Dedicated", "Managed", "Shared"));
        Spot uri = source.at("diskURI");
        if (kind.text().equals("Managed") && !uri.text().startsWith("/subscriptions/")) {
            uri.errors().notSupported(uri.path(), uri.text(), List.of(MANAGED));
        } else if (kind.isGiven()
                && !kind.text().equals("Managed")
                && !uri.text().startsWith("https://")) {
            uri.errors().notSupported(uri.path(), uri.text(), List.of(BLOB));
        }
    }

    private static void flex(Spot source) {
        needed(source, "driver");
        source.at("options").value().fieldNames().forEachRemaining(option -> {
            String domain = "." + option.split("/", 2)[0].toLowerCase(Locale.ROOT);
            if (domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io")) {
                source.at("options").key(option).invalid(option, "kubernetes.io and k8s.io namespaces are reserved");
            }
        });
    }

    private static void quobyte(Spot source) {
        String syntax = "must be a host:port pair or multiple pairs separated by commas";
        Spot registry = source.at("registry");
        if (registry.text().isEmpty()) {
            registry.required(syntax);
        } else if (source.text("tenant").length() > 64) {
            source.at("tenant").required("must be a UUID and may not exceed a length of 64 characters");
        } else if (!registry.text().matches("[^:,]*:[^:,]*(?:,[^:,]*:[^:,]*)*+")) {
            registry.invalid(syntax);
        }
        needed(source, "volume");
    }

    private static void flocker(Spot source) {
        boolean named = !source.text("datasetName").isEmpty();
        boolean numbered = !source.text("datasetUUID").isEmpty();
        if (!named && !numbered) {
            source.required("one of datasetName and datasetUUID is required");
        } else if (named && numbered) {
            source.invalid("resource", "datasetName and datasetUUID can not be specified simultaneously");
        }
        if (source.text("datasetName").contains("/")) {
            source.at("datasetName").invalid("must not contain '/'");
        }
    }

    private static void storageos(Spot source) {
        if (source.at("volumeName").needed()) {
            source.at("volumeName").label();
        }
        if (!source.text("volumeNamespace").isEmpty()) {
            source.at("volumeNamespace").label();
        }
    }

    private static void fibreChannel(Spot source) {
        Spot names = source.at("targetWWNs");
        boolean named = !names.value().isEmpty();
        boolean numbered = !source.at("wwids").value().isEmpty();
        if (!named && !numbered) {
            names.required("must specify either targetWWNs or wwids, but not both");
        } else if (named && numbered) {
            names.invalid("targetWWNs and wwids can not be specified simultaneously");
        }
        if (named && !source.has("lun")) {
            source.at("lun").required("lun is required if targetWWNs is specified");
        } else if (named) {
            source.at("lun").between(0, MOST_PARTITIONS);
        }
    }
}
