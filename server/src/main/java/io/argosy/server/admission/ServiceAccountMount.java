package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.Lot;
import io.argosy.api.names.Names;
import java.util.List;

/** Gives a pod what its service account brings: the files by which clients inside the pod find and trust the API, and pull secrets. */
final class ServiceAccountMount {
    static final String PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

    private static final String VOLUME_PREFIX = "kube-api-access-";
    private static final int TOKEN_SECONDS = 3607;
    private static final int FILE_MODE = 0644;

    private ServiceAccountMount() {}

    static void apply(ObjectNode spec, JsonNode account, Lot lot) {
        if (spec.path("imagePullSecrets").isEmpty()
                && !account.path("imagePullSecrets").isEmpty()) {
            spec.set("imagePullSecrets", account.get("imagePullSecrets").deepCopy());
        }
        if (isWanted(spec, account)) {
            mount(spec, lot);
        }
    }

    /** The pod's word counts before the account's. */
    private static boolean isWanted(JsonNode spec, JsonNode account) {
        JsonNode said = spec.path("automountServiceAccountToken");
        return said.isBoolean()
                ? said.asBoolean()
                : account.path("automountServiceAccountToken").asBoolean(true);
    }

    private static void mount(ObjectNode spec, Lot lot) {
        String present = presentVolume(spec);
        String volume = present.isEmpty() ? Names.generate(VOLUME_PREFIX, lot.about("volume")) : present;
        boolean used = false;
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : spec.path(list)) {
                used |= mountInto((ObjectNode) container, volume);
            }
        }
        if (used && present.isEmpty()) {
            list(spec, "volumes").add(volume(volume));
        }
    }

    private static String presentVolume(JsonNode spec) {
        for (JsonNode volume : spec.path("volumes")) {
            if (volume.path("name").asText().startsWith(VOLUME_PREFIX)) {
                return volume.path("name").asText();
            }
        }
        return "";
    }

    /** False if something else is mounted there already. */
    private static boolean mountInto(ObjectNode container, String volume) {
        for (JsonNode mount : container.path("volumeMounts")) {
            if (mount.path("mountPath").asText().equals(PATH)) {
                return false;
            }
        }
        list(container, "volumeMounts")
                .addObject()
                .put("name", volume)
                .put("readOnly", true)
                .put("mountPath", PATH);
        return true;
    }

    private static ArrayNode list(ObjectNode parent, String field) {
        return parent.get(field) instanceof ArrayNode found ? found : parent.putArray(field);
    }

    private static ObjectNode volume(String name) {
        ObjectNode volume = Json.object().put("name", name);
        ObjectNode projected = volume.putObject("projected");
        ArrayNode sources = projected.putArray("sources");
        sources.addObject()
                .putObject("serviceAccountToken")
                .put("expirationSeconds", TOKEN_SECONDS)
                .put("path", "token");
        ObjectNode authority = sources.addObject().putObject("configMap").put("name", "kube-root-ca.crt");
        authority.putArray("items").addObject().put("key", "ca.crt").put("path", "ca.crt");
        ObjectNode file = sources.addObject()
                .putObject("downwardAPI")
                .putArray("items")
                .addObject()
                .put("path", "namespace");
        file.putObject("fieldRef").put("apiVersion", "v1").put("fieldPath", "metadata.namespace");
        projected.put("defaultMode", FILE_MODE);
        return volume;
    }
}
