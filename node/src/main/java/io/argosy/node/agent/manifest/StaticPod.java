package io.argosy.node.agent.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.client.model.Models;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A pod of a manifest on the node's own disk: what becomes of the manifest, and its mirror for the API server. */
public final class StaticPod {
    static final String HASH = "kubernetes.io/config.hash";
    static final String MIRROR = "kubernetes.io/config.mirror";
    static final String SEEN = "kubernetes.io/config.seen";
    static final String SOURCE = "kubernetes.io/config.source";
    private static final int HASH_BYTES = 16;

    private StaticPod() {}

    /** The pod as the node runs it. Its uid follows from its content, so that a changed manifest is another pod. */
    static Pod of(ObjectNode manifest, String file, String node, PodForm form, Instant seen) {
        ObjectNode whole = form.complete(manifest);
        ApiReferences.in(whole.path("spec")).ifPresent(resource -> {
            throw ApiException.badRequest("static pods may not reference " + resource);
        });
        String uid = hash(whole, file, node);
        ObjectNode metadata = (ObjectNode) whole.path("metadata");
        metadata.put("uid", uid)
                .put("name", metadata.path("name").asText() + "-" + node.toLowerCase(Locale.ROOT))
                .put("creationTimestamp", seen.toString());
        if (metadata.path("namespace").asText("").isEmpty()) {
            metadata.put("namespace", "default");
        }
        ObjectNode annotations =
                metadata.get("annotations") instanceof ObjectNode given ? given : metadata.putObject("annotations");
        annotations.put(HASH, uid).put(SEEN, seen.toString()).put(SOURCE, "file");
        ObjectNode spec = (ObjectNode) whole.path("spec");
        spec.put("nodeName", node);
        tolerate(spec);
        return Models.decode(whole, Pod.class);
    }

    /** Trouble with the node must not drive it out: there is nowhere else for it to go. */
    private static void tolerate(ObjectNode spec) {
        ArrayNode tolerations =
                spec.get("tolerations") instanceof ArrayNode given ? given : spec.putArray("tolerations");
        for (Iterator<JsonNode> given = tolerations.iterator(); given.hasNext(); ) {
            JsonNode one = given.next();
            boolean same = one.path("operator").asText("").equals("Exists")
                    && one.path("effect").asText("").equals("NoExecute")
                    && one.path("key").asText("").isEmpty();
            if (same) { // perhaps for a while only
                given.remove();
            }
        }
        tolerations.addObject().put("operator", "Exists").put("effect", "NoExecute");
    }

    private static String hash(ObjectNode pod, String file, String node) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(Json.encode(pod));
            digest.update(("host:" + node + "file:" + file).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a pod of the API server only shows what a node runs by itself. */
    public static boolean isMirror(Pod pod) {
        return annotation(pod, MIRROR).isPresent();
    }

    /** Whether the pod is one of the node's own manifests, and not one of the server's that only says so. */
    public static boolean isOfManifest(Pod pod) {
        return annotation(pod, SOURCE).isPresent()
                && annotation(pod, HASH)
                        .filter(hash -> hash.equals(pod.getMetadata().getUid()))
                        .isPresent();
    }

    /** Whether the mirror shows this very pod, as it is now. */
    static boolean shows(Pod mirror, Pod pod) {
        return annotation(mirror, MIRROR).equals(annotation(pod, HASH));
    }

    private static Optional<String> annotation(Pod pod, String key) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        return annotations == null ? Optional.empty() : Optional.ofNullable(annotations.get(key));
    }

    /** What the API server is to be shown of the pod. */
    static Pod mirror(Pod pod, Node node) {
        return new PodBuilder(pod)
                .editMetadata()
                .withUid(null)
                .withCreationTimestamp(null)
                .addToAnnotations(MIRROR, annotation(pod, HASH).orElseThrow())
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Node")
                        .withName(node.getMetadata().getName())
                        .withUid(node.getMetadata().getUid())
                        .withController(true)
                        .build())
                .endMetadata()
                .withStatus(null)
                .build();
    }
}
