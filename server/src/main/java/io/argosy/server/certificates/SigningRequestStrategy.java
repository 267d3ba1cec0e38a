package io.argosy.server.certificates;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import io.argosy.api.time.Clock;
import io.argosy.server.registry.Strategy;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
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
                setTimes(conditions);
            }
            case "status" -> {
                ArrayNode kept = Json.NODES.arrayNode();
                before.path("status").path("conditions").forEach(old -> {
                    if (isVerdict(old)) {
                        kept.add(old);
                    }
                });
                conditions.forEach(given -> {
                    if (!isVerdict(given)) {
                        kept.add(given);
                    }
                });
                setTimes(kept);
                if (!kept.isEmpty()) {
                    request.withObject("/status").set("conditions", kept);
                }
            }
            default -> keep(request, before, "status");
        }
    }

    private static boolean isVerdict(JsonNode condition) {
        return VERDICTS.contains(condition.path("type").asText());
    }

    private static void keep(ObjectNode request, ObjectNode before, String field) {
        if (before.has(field)) {
            request.set(field, before.get(field));
        } else {
            request.remove(field);
        }
    }

    private void setTimes(ArrayNode conditions) {
        String now = clock.now().truncatedTo(ChronoUnit.SECONDS).toString();
        for (JsonNode condition : conditions) {
            for (String time : List.of("lastUpdateTime", "lastTransitionTime")) {
                if (condition instanceof ObjectNode object && !object.hasNonNull(time)) {
                    object.put(time, now);
                }
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
            if (VERDICTS.contains(type) || type.equals("Failed")) {
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
        for (String verdict : List.of("Approved", "Denied", "Failed")) {
            boolean was = has(before, verdict);
            boolean is = has(request, verdict);
            if (was && !is) {
                errors.forbidden("status.conditions", "updates may not remove a condition of type \"" + verdict + "\"");
            }
        }
        String old = before.path("status").path("certificate").asText();
        String fresh = request.path("status").path("certificate").asText();
        if (!old.isEmpty() && !old.equals(fresh)) {
            errors.forbidden("status.certificate", "updates may not modify certificate content once set");
        } else if (!fresh.isEmpty() && old.isEmpty() && !isCertificates(fresh)) {
            errors.invalid(
                    "status.certificate",
                    "<certificate data>",
                    "must contain one or more PEM blocks of type \"CERTIFICATE\"");
        }
    }

    private static boolean has(ObjectNode request, String type) {
        for (JsonNode condition : request.path("status").path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCertificates(String base64) {
        try {
            String pem = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
            return pem.contains("-----BEGIN CERTIFICATE-----") && !pem.contains("PRIVATE KEY");
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }
}
