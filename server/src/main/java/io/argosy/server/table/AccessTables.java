package io.argosy.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tables of who may do what, and of who asks for a certificate. */
final class AccessTables {
    private AccessTables() {}

    static TableDefinition roleBindings() {
        return TableBuilder.named()
                .text(
                        "Role",
                        "The role that is granted.",
                        row -> row.text("roleRef", "kind") + "/" + row.text("roleRef", "name"))
                .age()
                .wide("Users", "The users it is granted to.", row -> subjects(row, "User"))
                .wide("Groups", "The groups it is granted to.", row -> subjects(row, "Group"))
                .wide(
                        "ServiceAccounts",
                        "The service accounts it is granted to.",
                        row -> subjects(row, "ServiceAccount"))
                .build();
    }

    private static String subjects(Row binding, String kind) {
        List<String> names = new ArrayList<>();
        for (JsonNode subject : binding.at("subjects")) {
            if (subject.path("kind").asText().equals(kind)) {
                String name = subject.path("name").asText();
                boolean spaced = kind.equals("ServiceAccount");
                names.add(spaced ? subject.path("namespace").asText() + "/" + name : name);
            }
        }
        return String.join(", ", names);
    }

    static TableDefinition signingRequests() {
        return TableBuilder.named()
                .age()
                .text("SignerName", "Who is to sign.", row -> row.filledOr(Row.NONE, "spec", "signerName"))
                .text("Requestor", "Who asks.", row -> row.text("spec", "username"))
                .text("RequestedDuration", "How long the certificate should be good.", AccessTables::requestedDuration)
                .text("Condition", "What has become of it.", AccessTables::condition)
                .build();
    }

    private static String requestedDuration(Row request) {
        return request.has("spec", "expirationSeconds")
                ? HumanDuration.of(Duration.ofSeconds(request.number("spec", "expirationSeconds")))
                : Row.NONE;
    }

    private static String condition(Row request) {
        List<String> words = new ArrayList<>();
        if (has(request, "Denied")) {
            words.add("Denied");
        } else {
            words.add(has(request, "Approved") ? "Approved" : "Pending");
        }
        if (has(request, "Failed")) {
            words.add("Failed");
        }
        if (!request.text("status", "certificate").isEmpty()) {
            words.add("Issued");
        }
        return String.join(",", words);
    }

    private static boolean has(Row request, String condition) {
        return !request.condition(condition).isEmpty();
    }
}
