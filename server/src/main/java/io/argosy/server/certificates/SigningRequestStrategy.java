package io.argosy.server.certificates;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Strategy;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Requests for certificates: what is asked for never changes; who may, approves or denies it once; who signs, adds the certificate once. */
public record SigningRequestStrategy(Clock clock) implements Strategy {
    private static final int SHORTEST_SECONDS = 600;
    private static final Pattern SIGNER = Pattern.compile(
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+/[a-z0-9]([-a-z0-9.]*[a-z0-9])?");
    private static final Set<String> USAGES = Set.of(
            "signing",
            "digital signature",
            "content commitment",
            "key encipherment",
            "key agreement",
            "data encipherment",
            "cert sign",
            "crl sign",
            "encipher only",
            "decipher only",
            "any",
            "server auth",
            "client auth",
            "code signing",
            "email protection",
            "s/mime",
            "ipsec end system",
            "ipsec tunnel",
            "ipsec user",
            "timestamping",
            "ocsp signing",
            "microsoft sgc",
            "netscape sgc");
    /** Who signed what named no signer, when that was still possible. */
    private static final String LEGACY = "kubernetes.io/legacy-unknown";

    /** What only an approver says, once and for all. */
    private static final Set<String> VERDICTS = Set.of("Approved", "Denied");

    @Override
    public void prepareForCreate(ObjectNode request) {
        request.remove("status");
    }

    /** Whoever writes, the rest stays: approvers change conditions, signers the certificate and conditions that are no verdict. */
    @Override
    public void prepareForUpdate(ObjectNode request, ObjectNode before, String subresource) {
        keep(request, before, "spec");
        JsonNode wanted = request.path("status");
        ArrayNode conditions = wanted.path("conditions") instanceof ArrayNode given ? given : Json.NODES.arrayNode();
        switch (subresource) {
            case "approval" -> {
                ObjectNode status = before.path("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
                status.set("conditions", conditions);
                request.set("status", status);
                setTimes(conditions, before);
            }
            case "status" -> {
                VERDICTS.forEach(verdict -> preserve(conditions, before, verdict));
                setTimes(conditions, before);
            }
            default -> keep(request, before, "status");
        }
    }

    /** A verdict that a signer repeats is the one there is; one that is added or left out is for validation to judge. */
    private static void preserve(ArrayNode conditions, ObjectNode before, String verdict) {
        List<JsonNode> held = of(before.path("status").path("conditions"), verdict);
        if (held.size() != of(conditions, verdict).size()) {
            return;
        }
        int next = 0;
        for (int i = 0; i < conditions.size(); i++) {
            if (conditions.get(i).path("type").asText().equals(verdict)) {
                conditions.set(i, held.get(next++));
            }
        }
    }

    private static List<JsonNode> of(JsonNode conditions, String type) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode condition : conditions) {
            if (condition.path("type").asText().equals(type)) {
                found.add(condition);
            }
        }
        return found;
    }

    private static void keep(ObjectNode request, ObjectNode before, String field) {
        if (before.has(field)) {
            request.set(field, before.get(field));
        } else {
            request.remove(field);
        }
    }

    private void setTimes(ArrayNode conditions, ObjectNode before) {
        String now = clock.now().truncatedTo(ChronoUnit.SECONDS).toString();
        for (JsonNode condition : conditions) {
            if (!(condition instanceof ObjectNode object)) {
                continue;
            }
            if (!object.hasNonNull("lastUpdateTime")) {
                object.put("lastUpdateTime", now);
            }
            if (!object.hasNonNull("lastTransitionTime")) {
                String since = of(
                                before.path("status").path("conditions"),
                                object.path("type").asText())
                        .stream()
                        .filter(old -> old.path("status").equals(object.path("status")))
                        .map(old -> old.path("lastTransitionTime").asText(""))
                        .filter(time -> !time.isEmpty())
                        .findFirst()
                        .orElse(now);
                object.put("lastTransitionTime", since);
            }
        }
    }

    @Override
    public void validate(ObjectNode request, FieldErrors errors) {
        JsonNode spec = request.path("spec");
        Pkcs10.problem(spec.path("request").asText())
                .ifPresent(problem ->
                        errors.invalid("spec.request", spec.path("request").asText(), problem));
        String signer = spec.path("signerName").asText();
        if (signer.isEmpty()) {
            errors.required("spec.signerName", "");
        } else if (!SIGNER.matcher(signer).matches()) {
            errors.invalid(
                    "spec.signerName",
                    signer,
                    "must be a fully qualified domain and path of the form 'example.com/signer-name'");
        }
        usages(spec.path("usages"), errors);
        JsonNode life = spec.path("expirationSeconds");
        if (life.isNumber() && life.asInt() < SHORTEST_SECONDS) {
            errors.invalid(
                    "spec.expirationSeconds",
                    life.asInt(),
                    "may not specify a duration less than 600 seconds (10 minutes)");
        }
        conditions(request.path("status").path("conditions"), errors);
    }

    private static void usages(JsonNode usages, FieldErrors errors) {
        if (usages.isEmpty()) {
            errors.required("spec.usages", "");
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < usages.size(); i++) {
            String usage = usages.get(i).asText();
            if (!USAGES.contains(usage)) {
                errors.notSupported(
                        "spec.usages[" + i + "]",
                        usage,
                        USAGES.stream().sorted().toList());
            } else if (!seen.add(usage)) {
                errors.duplicate("spec.usages[" + i + "]", usage);
            }
        }
    }

    private static void conditions(JsonNode conditions, FieldErrors errors) {
        Set<String> types = new HashSet<>();
        for (int i = 0; i < conditions.size(); i++) {
            String path = "status.conditions[" + i + "]";
            String type = conditions.get(i).path("type").asText();
            String status = conditions.get(i).path("status").asText();
            if (type.isEmpty()) {
                errors.required(path + ".type", "");
            } else if (!types.add(type)) {
                errors.duplicate(path + ".type", type);
            }
            if (status.isEmpty()) {
                errors.required(path + ".status", "");
            } else if (VERDICTS.contains(type) || type.equals("Failed")) {
                if (!status.equals("True")) {
                    errors.notSupported(path + ".status", status, List.of("True"));
                }
            } else if (!List.of("True", "False", "Unknown").contains(status)) {
                errors.notSupported(path + ".status", status, List.of("False", "True", "Unknown"));
            }
        }
        if (types.containsAll(VERDICTS)) {
            errors.invalid("status.conditions", "Denied", "Approved and Denied conditions are mutually exclusive");
        }
    }

    @Override
    public void validateUpdate(ObjectNode request, ObjectNode before, String subresource, FieldErrors errors) {
        if (request.path("spec").path("signerName").asText().equals(LEGACY)
                && !before.path("spec").path("signerName").asText().equals(LEGACY)) {
            noLegacy(errors);
        }
        JsonNode now = request.path("status").path("conditions");
        JsonNode was = before.path("status").path("conditions");
        for (String verdict : List.of("Approved", "Denied", "Failed")) {
            List<JsonNode> given = of(now, verdict);
            List<JsonNode> held = of(was, verdict);
            String of = " a condition of type \"" + verdict + "\"";
            if (given.size() < held.size()) {
                errors.forbidden("status.conditions", "updates may not remove" + of);
            } else if (subresource.equals("approval") || !VERDICTS.contains(verdict)) {
                continue;
            } else if (given.size() > held.size()) {
                errors.forbidden("status.conditions", "updates may not add" + of);
            } else if (!given.equals(held)) {
                errors.forbidden("status.conditions", "updates may not modify" + of);
            }
        }
        certificate(request.path("status").path("certificate").asText(), before, errors);
    }

    private static void certificate(String fresh, ObjectNode before, FieldErrors errors) {
        String old = before.path("status").path("certificate").asText();
        if (old.equals(fresh)) {
            return;
        }
        if (!old.isEmpty()) {
            errors.forbidden("status.certificate", "updates may not modify existing certificate content");
        }
        Optional<String> problem = fresh.isEmpty() ? Optional.empty() : IssuedCertificates.problem(fresh);
        problem.ifPresent(why -> errors.invalid("status.certificate", "<certificate data>", why));
    }

    private static void noLegacy(FieldErrors errors) {
        errors.invalid("spec.signerName", LEGACY, "the legacy signerName is not allowed via this API version");
    }

    @Override
    public void validateCreate(ObjectNode request, FieldErrors errors) {
        if (request.path("spec").path("signerName").asText().equals(LEGACY)) {
            noLegacy(errors);
        }
    }
}
