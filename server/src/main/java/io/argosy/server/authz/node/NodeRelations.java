package io.argosy.server.authz.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.json.Json;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.util.List;

/** What belongs to a node: its pods, and what those need, directly or through the volumes that they claim. */
final class NodeRelations {
    private static final String STORAGE = "storage.k8s.io";
    private static final String DEVICES = "resource.k8s.io";

    private static final List<String> CSI_SECRETS = List.of(
            "controllerPublishSecretRef",
            "nodePublishSecretRef",
            "nodeStageSecretRef",
            "controllerExpandSecretRef",
            "nodeExpandSecretRef");

    private final NodePods pods = new NodePods();
    private volatile Registry registry;

    /** The registry is open. */
    void follow(Registry opened) {
        registry = opened;
        opened.store("", "pods").cache().follow(pods::changed);
    }

    boolean hasPod(String node, String namespace, String name) {
        return pods.has(node, namespace, name);
    }

    boolean usesConfigMap(String node, String namespace, String name) {
        return pods.refers(node, namespace, pod -> pod.configMaps().contains(name));
    }

    boolean usesAccount(String node, String namespace, String name) {
        return pods.refers(node, namespace, pod -> pod.account().equals(name));
    }

    boolean usesClaim(String node, String namespace, String name) {
        return pods.refers(node, namespace, pod -> pod.claims().contains(name));
    }

    boolean usesResourceClaim(String node, String namespace, String name) {
        return pods.refers(node, namespace, pod -> pod.resourceClaims().contains(name));
    }

    /** A volume is used where the claim that it is bound to is. */
    boolean usesVolume(String node, String name) {
        JsonNode claim = find("", "persistentvolumes", "", name).at("/spec/claimRef");
        return usesClaim(
                node, claim.path("namespace").asText(""), claim.path("name").asText(""));
    }

    /** A secret is used by a pod, or by a volume that a pod has claimed. */
    boolean usesSecret(String node, String namespace, String name) {
        return pods.refers(node, namespace, pod -> pod.secrets().contains(name))
                || pods.claims(node, (home, claim) -> isOfVolume(home, claim, namespace, name));
    }

    private boolean isOfVolume(String home, String claim, String namespace, String secret) {
        String volume = find("", "persistentvolumeclaims", home, claim)
                .at("/spec/volumeName")
                .asText("");
        JsonNode spec = volume.isEmpty()
                ? MissingNode.getInstance()
                : find("", "persistentvolumes", "", volume).path("spec");
        return spec.at("/claimRef/namespace").asText("").equals(home)
                && spec.at("/claimRef/name").asText("").equals(claim)
                && refersTo(spec, home, namespace, secret);
    }

    /** Old volumes name their secret alone; it is then in the claim's namespace. */
    private static boolean refersTo(JsonNode spec, String home, String namespace, String secret) {
        JsonNode azure = spec.path("azureFile");
        if (azure.path("secretName").asText("").equals(secret)
                && azure.path("secretNamespace").asText(home).equals(namespace)) {
            return true;
        }
        for (String use : CSI_SECRETS) {
            if (isSecret(spec.path("csi").path(use), home, namespace, secret)) {
                return true;
            }
        }
        for (JsonNode source : spec) {
            if (isSecret(source.path("secretRef"), home, namespace, secret)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSecret(JsonNode reference, String home, String namespace, String secret) {
        return reference.path("name").asText("").equals(secret)
                && reference.path("namespace").asText(home).equals(namespace);
    }

    boolean isAttachedTo(String node, String name) {
        return find(STORAGE, "volumeattachments", "", name)
                .at("/spec/nodeName")
                .asText("")
                .equals(node);
    }

    boolean hasSlice(String node, String name) {
        return find(DEVICES, "resourceslices", "", name)
                .at("/spec/nodeName")
                .asText("")
                .equals(node);
    }

    /** The object, or nothing. */
    JsonNode find(String group, String resource, String namespace, String name) {
        CachedObject found = registry.store(group, resource).find(namespace, name);
        return found == null ? MissingNode.getInstance() : Json.decodeObject(found.json());
    }
}
