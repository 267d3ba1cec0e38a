package io.argosy.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Holds pods to the secrets that their service account lists, where the account says that it is to be so. */
final class MountableSecrets {
    private static final String ANNOTATION = "kubernetes.io/enforce-mountable-secrets";
    private static final Set<String> YES = Set.of("1", "t", "T", "TRUE", "true", "True");
    private static final Map<String, String> CALLED = Map.of(
            "initContainers",
            "init container ",
            "containers",
            "container ",
            "ephemeralContainers",
            "ephemeral container ");

    private final String account;
    private final Set<String> secrets;
    private final Set<String> pullSecrets;

    private MountableSecrets(JsonNode account) {
        this.account = account.path("metadata").path("name").asText();
        this.secrets = names(account.path("secrets"));
        this.pullSecrets = names(account.path("imagePullSecrets"));
    }

    /** False if the account surely says nothing of it, which spares nearly every new pod a look. */
    static boolean mayBeLimited(byte[] account) {
        return new String(account, StandardCharsets.ISO_8859_1).contains(ANNOTATION);
    }

    /** Those of an account that limits its pods. */
    static Optional<MountableSecrets> of(JsonNode account) {
        JsonNode said = account.path("metadata").path("annotations").path(ANNOTATION);
        return YES.contains(said.asText("")) ? Optional.of(new MountableSecrets(account)) : Optional.empty();
    }

    private static Set<String> names(JsonNode references) {
        Set<String> names = new HashSet<>();
        references.forEach(reference -> names.add(reference.path("name").asText()));
        return names;
    }

    /** Why a new pod may not be; empty if it may. */
    Optional<String> problem(JsonNode spec) {
        for (JsonNode volume : spec.path("volumes")) {
            if (volume.path("secret").isObject()) {
                String secret = volume.path("secret").path("secretName").asText("");
                if (!secrets.contains(secret)) {
                    return Optional.of("volume with " + unlisted(secret));
                }
            }
        }
        Optional<String> found = inContainers(spec, List.of("initContainers", "containers"));
        int index = 0;
        for (JsonNode reference : spec.path("imagePullSecrets")) {
            String secret = reference.path("name").asText("");
            if (found.isEmpty() && !pullSecrets.contains(secret)) {
                return Optional.of("imagePullSecrets[" + index + "].name=\"" + secret
                        + "\" is not allowed because service account " + account
                        + " does not reference that imagePullSecret");
            }
            index++;
        }
        return found;
    }

    /** The same of containers that are added to debug a pod. */
    Optional<String> problemOfDebugging(JsonNode spec) {
        return inContainers(spec, List.of("ephemeralContainers"));
    }

    private Optional<String> inContainers(JsonNode spec, List<String> lists) {
        for (String list : lists) {
            for (JsonNode container : spec.path(list)) {
                String who = CALLED.get(list) + container.path("name").asText();
                for (JsonNode variable : container.path("env")) {
                    JsonNode reference = variable.path("valueFrom").path("secretKeyRef");
                    if (isUnlisted(reference)) {
                        return Optional.of(
                                who + " with envVar " + variable.path("name").asText() + " referencing "
                                        + unlisted(reference.path("name").asText("")));
                    }
                }
                for (JsonNode source : container.path("envFrom")) {
                    if (isUnlisted(source.path("secretRef"))) {
                        return Optional.of(who + " with envFrom referencing "
                                + unlisted(source.path("secretRef").path("name").asText("")));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private boolean isUnlisted(JsonNode reference) {
        return reference.isObject() && !secrets.contains(reference.path("name").asText(""));
    }

    private String unlisted(String secret) {
        return "secret.secretName=\"" + secret + "\" is not allowed because service account " + account
                + " does not reference that secret";
    }
}
