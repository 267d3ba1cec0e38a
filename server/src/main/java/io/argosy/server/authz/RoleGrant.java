package io.argosy.server.authz;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.authn.ServiceAccountTokens;
import java.util.ArrayList;
import java.util.List;

/**
 * A RoleBinding or ClusterRoleBinding: to whom which role is given.
 *
 * @param namespace where it holds; empty for the whole cluster
 */
record RoleGrant(String namespace, String name, String roleKind, String roleName, List<Subject> subjects) {
    /**
     * Somebody a role is given to.
     *
     * @param key what the index finds them by: kind and full name
     * @param words how a decision's reason names them
     */
    record Subject(String key, String words) {
        static String user(String name) {
            return "u:" + name;
        }

        static String group(String name) {
            return "g:" + name;
        }
    }

    static RoleGrant of(JsonNode binding) {
        String namespace = binding.path("metadata").path("namespace").asText("");
        List<Subject> subjects = new ArrayList<>();
        for (JsonNode subject : binding.path("subjects")) {
            String name = subject.path("name").asText();
            switch (subject.path("kind").asText()) {
                case "User" -> subjects.add(new Subject(Subject.user(name), "User \"" + name + "\""));
                case "Group" -> subjects.add(new Subject(Subject.group(name), "Group \"" + name + "\""));
                case "ServiceAccount" -> {
                    String home = subject.path("namespace").asText(namespace);
                    subjects.add(new Subject(
                            Subject.user(ServiceAccountTokens.USER_PREFIX + home + ":" + name),
                            "ServiceAccount \"" + name + "/" + home + "\""));
                }
                default -> {
                    // a kind that is not ours proves nobody
                }
            }
        }
        JsonNode role = binding.path("roleRef");
        return new RoleGrant(
                namespace,
                binding.path("metadata").path("name").asText(),
                role.path("kind").asText(),
                role.path("name").asText(),
                List.copyOf(subjects));
    }

    String reason(Subject subject) {
        String self = namespace.isEmpty()
                ? "ClusterRoleBinding \"" + name + "\""
                : "RoleBinding \"" + name + "/" + namespace + "\"";
        return "RBAC: allowed by " + self + " of " + roleKind + " \"" + roleName + "\" to " + subject.words();
    }
}
