package io.argosy.server.authz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every built-in role with every verb on every kind: what Kubernetes' own allow, and nothing else. */
class RoleMatrixTest {
    /** What our roles allow beyond those of Kubernetes, as the head of the table of roles says. */
    private static final Set<String> MORE = Set.of(
            "system:controller:deployment-controller patch apps/deployments",
            "system:controller:deployment-controller patch extensions/deployments",
            "system:controller:node-controller get coordination.k8s.io/leases",
            "system:controller:node-controller delete coordination.k8s.io/leases",
            "system:controller:root-ca-cert-publisher get core/configmaps",
            "system:controller:root-ca-cert-publisher list core/configmaps",
            "system:controller:root-ca-cert-publisher watch core/configmaps");

    /** The metrics of nodes and pods, which another project's server brings where Kubernetes has them. */
    private static final Set<String> METRICS = Set.of("admin", "edit", "view");

    private static final User SUBJECT = new User("subject", List.of());

    private static List<String> verbs = List.of();

    /** Group to resources. */
    private static final Map<String, List<String>> KINDS = new TreeMap<>();

    /** Role to what it allows: {@code verb group/resource}. */
    private static final Map<String, Set<String>> EXPECTED = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        String text;
        try (InputStream in = RoleMatrixTest.class.getResourceAsStream("role-matrix.txt")) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        Set<String> role = Set.of();
        for (String line : text.split("\n", -1)) {
            String[] words = line.strip().split(" ", -1);
            switch (words[0]) {
                case "", "#" -> {
                    // nothing to read
                }
                case "verbs" -> verbs = List.of(words[1].split(",", -1));
                case "kinds" -> KINDS.put(words[1], List.of(words[2].split(",", -1)));
                case "role" -> {
                    role = new HashSet<>();
                    EXPECTED.put(words[1], role);
                }
                default -> expect(role, words);
            }
        }
    }

    private static void expect(Set<String> role, String[] words) {
        for (String verb : words[0].equals("*") ? verbs : List.of(words[0].split(",", -1))) {
            for (String group : words[1].equals("all") ? KINDS.keySet() : Set.of(words[1])) {
                boolean every = words[1].equals("all") || words[2].equals("*");
                for (String resource : every ? KINDS.get(group) : List.of(words[2].split(",", -1))) {
                    role.add(verb + " " + group + "/" + resource);
                }
            }
        }
    }

    /** The name of the role with its namespace in front; roles of ours are left out. */
    private static Map<String, ObjectNode> roles() {
        Map<String, ObjectNode> roles = new TreeMap<>();
        for (ObjectNode object : BootstrapPolicy.load()) {
            String name = object.at("/metadata/name").asText();
            String namespace = object.at("/metadata/namespace").asText();
            if (object.path("kind").asText().endsWith("Role") && !name.startsWith("system:argosy:")) {
                roles.put(namespace.isEmpty() ? name : namespace + "/" + name, object);
            }
        }
        roles.remove("system:aggregated-metrics-reader");
        return roles;
    }

    /** As the loop that aggregates does it. */
    private static ArrayNode rules(ObjectNode role, Map<String, ObjectNode> all) {
        if (!role.has("aggregationRule")) {
            return (ArrayNode) role.get("rules");
        }
        ArrayNode rules = Json.NODES.arrayNode();
        for (JsonNode selector : role.at("/aggregationRule/clusterRoleSelectors")) {
            for (ObjectNode other : all.values()) {
                boolean chosen = true;
                for (var label : selector.path("matchLabels").properties()) {
                    chosen &= other.at("/metadata/labels").path(label.getKey()).equals(label.getValue());
                }
                if (chosen && other != role) {
                    rules.addAll(rules(other, all));
                }
            }
        }
        return rules;
    }

    private static Set<String> allowed(ObjectNode role, Map<String, ObjectNode> all) {
        ObjectNode given = role.deepCopy();
        given.set("rules", rules(role, all));
        given.put("kind", "ClusterRole").withObject("/metadata").remove("namespace");
        ObjectNode binding = Json.object().put("kind", "ClusterRoleBinding");
        binding.putObject("metadata").put("name", "b");
        binding.putObject("roleRef")
                .put("kind", "ClusterRole")
                .put("name", role.at("/metadata/name").asText());
        binding.putArray("subjects").addObject().put("kind", "User").put("name", SUBJECT.name());
        RbacAuthorizer authorizer = new RbacAuthorizer();
        authorizer.expect(List.of(given, binding));
        Set<String> allowed = new HashSet<>();
        KINDS.forEach((group, resources) -> {
            for (String resource : resources) {
                int slash = resource.indexOf('/');
                for (String verb : verbs) {
                    Action action = new Action(
                            SUBJECT,
                            verb,
                            group.equals("core") ? "" : group,
                            "v1",
                            slash < 0 ? resource : resource.substring(0, slash),
                            slash < 0 ? "" : resource.substring(slash + 1),
                            "some-namespace",
                            "some-name",
                            "");
                    if (authorizer.allows(action)) {
                        allowed.add(verb + " " + group + "/" + resource);
                    }
                }
            }
        });
        return allowed;
    }

    @Test
    void everyRoleAllowsWhatItShouldAndNothingElse() {
        Map<String, ObjectNode> roles = roles();
        assertThat(roles.keySet()).isEqualTo(EXPECTED.keySet());
        List<String> wrong = new ArrayList<>();
        Set<String> more = new TreeSet<>();
        roles.forEach((name, role) -> {
            Set<String> allowed = allowed(role, roles);
            Set<String> expected = EXPECTED.get(name);
            for (String one : allowed) {
                if (!expected.contains(one)) {
                    (MORE.contains(name + " " + one) ? more : wrong).add(name + " " + one);
                }
            }
            expected.stream().filter(one -> !allowed.contains(one)).forEach(one -> wrong.add(name + " lacks " + one));
        });
        assertThat(wrong).isEmpty();
        assertThat(more).isEqualTo(new TreeSet<>(MORE));
    }

    @Test
    void metricsAreReadByThoseWhoReadTheRest() {
        Map<String, ObjectNode> all = new HashMap<>();
        for (ObjectNode object : BootstrapPolicy.load()) {
            if (object.path("kind").asText().equals("ClusterRole")) {
                all.put(object.at("/metadata/name").asText(), object);
            }
        }
        for (String role : METRICS) {
            assertThat(allowed(all.get(role), all)).contains("get metrics.k8s.io/pods", "list metrics.k8s.io/nodes");
        }
    }

    @Test
    void theTableIsNotEmpty() {
        assertThat(EXPECTED.size()).isGreaterThan(70);
        assertThat(EXPECTED.get("view")).contains("get core/pods").doesNotContain("get core/secrets");
        assertThat(EXPECTED.get("edit"))
                .contains("get core/secrets")
                .doesNotContain("create rbac.authorization.k8s.io/roles");
        assertThat(EXPECTED.get("admin")).contains("create rbac.authorization.k8s.io/roles");
    }
}
