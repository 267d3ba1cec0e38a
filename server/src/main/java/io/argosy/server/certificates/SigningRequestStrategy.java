package io.argosy.server.certificates;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.names.Names;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Strategy;
import io.argosy.server.validation.Spot;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Requests for certificates: what is asked for never changes; who may, approves or denies it once; who signs, adds the certificate once. */
public record SigningRequestStrategy(Clock clock) implements Strategy {
    private static final int SHORTEST_SECONDS = 600;
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

    /** Whatever it may be called in a path. */
    @Override
    public Optional<String> nameError(String name) {
        return Names.pathSegmentError(name);
    }

    @Override
    public void prepareForCreate(ObjectNode request) {
        request.putObject("status");
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
    public void validateCreate(ObjectNode request, FieldErrors errors) {
        check(request, Json.object(), errors);
    }

    /** The same of one that changes: what was there before has been good once. */
    private static void check(ObjectNode request, ObjectNode before, FieldErrors errors) {
        JsonNode spec = request.path("spec");
        Pkcs10.problem(spec.path("request").asText())
                .ifPresent(problem ->
                        errors.invalid("spec.request", spec.path("request").asText(), problem));
        usages(spec.path("usages"), errors);
        Spot signer = new Spot(spec, "spec", errors).at("signerName");
        if (signer.text().equals(LEGACY)
                && !before.path("spec").path("signerName").asText().equals(LEGACY)) {
            signer.invalid("the legacy signerName is not allowed via this API version");
        } else {
            SignerNames.check(signer);
        }
        JsonNode life = spec.path("expirationSeconds");
        if (life.isNumber() && life.asInt() < SHORTEST_SECONDS) {
            errors.invalid(
                    "spec.expirationSeconds",
                    life.asInt(),
                    "may not specify a duration less than 600 seconds (10 minutes)");
        }
        conditions(request.path("status").path("conditions"), errors);
        String certificate = request.path("status").path("certificate").asText();
        if (!certificate.isEmpty()
                && !certificate.equals(before.path("status").path("certificate").asText())) {
            IssuedCertificates.problem(certificate)
                    .ifPresent(why -> errors.invalid("status.certificate", "<certificate data>", why));
        }
    }

    private static void usages(JsonNode usages, FieldErrors errors) {
        if (usages.isEmpty()) {
            errors.required("spec.usages", "");
        }
        for (int i = 0; i < usages.size(); i++) {
            if (!USAGES.contains(usages.get(i).asText())) {
                errors.notSupported(
                        "spec.usages[" + i + "]",
                        usages.get(i).asText(),
                        USAGES.stream().sorted().toList());
            }
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < usages.size(); i++) {
            if (!seen.add(usages.get(i).asText())) {
                errors.duplicate("spec.usages[" + i + "]", usages.get(i).asText());
            }
        }
    }

    private static void conditions(JsonNode conditions, FieldErrors errors) {
        Set<String> types = new HashSet<>();
        for (int i = 0; i < conditions.size(); i++) {
            String path = "status.conditions[" + i + "]";
            String type = conditions.get(i).path("type").asText();
            if (type.isEmpty()) {
                errors.required(path + ".type", "");
            }
            status(conditions.get(i).path("status").asText(), type, path + ".status", errors);
            boolean repeated = !types.add(type);
            if (VERDICTS.contains(type) && types.containsAll(VERDICTS)) {
                errors.invalid("status.conditions", type, "Approved and Denied conditions are mutually exclusive");
            }
            if (repeated) {
                errors.duplicate(path + ".type", type);
            }
        }
    }

    private static void status(String status, String type, String path, FieldErrors errors) {
        boolean judged = VERDICTS.contains(type) || type.equals("Failed");
        List<String> known = judged ? List.of("True") : List.of("False", "True", "Unknown");
        if (status.isEmpty()) {
            errors.required(path, "");
        } else if (!known.contains(status)) {
            errors.notSupported(path, status, known);
        }
    }

    @Override
    public void validateUpdate(ObjectNode request, ObjectNode before, String subresource, FieldErrors errors) {
        check(request, before, errors);
        JsonNode now = request.path("status").path("conditions");
        JsonNode was = before.path("status").path("conditions");
        for (String verdict : List.of("Approved", "Denied", "Failed")) {
            if (of(now, verdict).size() < of(was, verdict).size()) {
                errors.forbidden("status.conditions", "updates may not remove a condition of type \"" + verdict + "\"");
            }
        }
        for (String verdict : List.of("Approved", "Denied")) { // one that is repeated is the one there was
            if (!subresource.equals("approval")
                    && of(now, verdict).size() > of(was, verdict).size()) {
                errors.forbidden("status.conditions", "updates may not add a condition of type \"" + verdict + "\"");
            }
        }
        certificate(request.path("status").path("certificate").asText(), before, errors);
    }

    private static void certificate(String fresh, ObjectNode before, FieldErrors errors) {
        String old = before.path("status").path("certificate").asText();
        if (!old.equals(fresh) && !old.isEmpty()) {
            errors.forbidden("status.certificate", "updates may not modify existing certificate content");
        }
    }
}
