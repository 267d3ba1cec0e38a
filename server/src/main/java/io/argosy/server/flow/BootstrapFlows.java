package io.argosy.server.flow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.List;
import java.util.Set;

/** The priority levels and flow schemas that every cluster has. */
public final class BootstrapFlows {
    /** On built-in objects: whether they are kept as they were made. */
    public static final String AUTOUPDATE = "apf.kubernetes.io/autoupdate-spec";

    private static final Set<String> MANDATORY = Set.of("exempt", "catch-all");
    private static final String EVERYBODY = "group=system:unauthenticated,group=system:authenticated";
    private static final String LEASES = "resource=get+create+update coordination.k8s.io leases";
    private static final List<ObjectNode> LEVELS = List.of(
            exempt(),
            level("catch-all", 5, 0, 0, 0),
            level("global-default", 20, 50, 128, 6),
            level("leader-election", 10, 0, 16, 4),
            level("node-high", 40, 25, 64, 6),
            level("system", 30, 33, 64, 6),
            level("workload-high", 40, 50, 128, 6),
            level("workload-low", 100, 90, 128, 6));
    private static final List<ObjectNode> SCHEMAS = List.of(
            schema("exempt", "exempt", 1, "", "group=system:masters", "all"),
            schema("probes", "exempt", 2, "", EVERYBODY, "path=get /healthz+/readyz+/livez"),
            schema(
                    "system-leader-election",
                    "leader-election",
                    100,
                    "ByUser",
                    "user=system:kube-controller-manager,user=system:kube-scheduler,account=kube-system/*",
                    LEASES),
            schema(
                    "system-node-high",
                    "node-high",
                    400,
                    "ByUser",
                    "group=system:nodes",
                    "cluster=* core nodes+nodes/status",
                    "resource=* coordination.k8s.io leases"),
            schema("system-nodes", "system", 500, "ByUser", "group=system:nodes", "all"),
            schema(
                    "kube-controller-manager",
                    "workload-high",
                    800,
                    "ByNamespace",
                    "user=system:kube-controller-manager",
                    "all"),
            schema("kube-scheduler", "workload-high", 800, "ByNamespace", "user=system:kube-scheduler", "all"),
            schema("kube-system-service-accounts", "workload-high", 900, "ByNamespace", "account=kube-system/*", "all"),
            schema("service-accounts", "workload-low", 9000, "ByUser", "group=system:serviceaccounts", "all"),
            schema("global-default", "global-default", 9900, "ByUser", EVERYBODY, "all"),
            schema("catch-all", "catch-all", 10000, "ByUser", EVERYBODY, "all"));

    private BootstrapFlows() {}

    /** Not to be changed. */
    public static List<ObjectNode> levels() {
        return LEVELS;
    }

    /** Not to be changed. */
    public static List<ObjectNode> schemas() {
        return SCHEMAS;
    }

    /** Whether nobody may do without the object, nor have it otherwise. */
    public static boolean isMandatory(String name) {
        return MANDATORY.contains(name);
    }

    private static ObjectNode object(String kind, String name) {
        ObjectNode object = Json.object().put("kind", kind).put("apiVersion", FlowControl.GROUP + "/v1");
        object.putObject("metadata").put("name", name).putObject("annotations").put(AUTOUPDATE, "true");
        return object;
    }

    private static ObjectNode exempt() {
        ObjectNode level = object("PriorityLevelConfiguration", "exempt");
        level.putObject("spec")
                .put("type", "Exempt")
                .putObject("exempt")
                .put("lendablePercent", 0)
                .put("nominalConcurrencyShares", 0);
        return level;
    }

    private static ObjectNode level(String name, int shares, int lendable, int queues, int hand) {
        ObjectNode level = object("PriorityLevelConfiguration", name);
        ObjectNode limited = level.putObject("spec").put("type", "Limited").putObject("limited");
        limited.put("lendablePercent", lendable);
        ObjectNode response = limited.putObject("limitResponse");
        if (queues > 0) {
            response.put("type", "Queue")
                    .putObject("queuing")
                    .put("handSize", hand)
                    .put("queueLengthLimit", 50)
                    .put("queues", queues);
        } else {
            response.put("type", "Reject");
        }
        limited.put("nominalConcurrencyShares", shares);
        return level;
    }

    private static ObjectNode schema(
            String name, String level, int precedence, String distinguisher, String subjects, String... rules) {
        ObjectNode schema = object("FlowSchema", name);
        ObjectNode spec = schema.putObject("spec");
        if (!distinguisher.isEmpty()) {
            spec.putObject("distinguisherMethod").put("type", distinguisher);
        }
        spec.put("matchingPrecedence", precedence);
        spec.putObject("priorityLevelConfiguration").put("name", level);
        ObjectNode rule = spec.putArray("rules").addObject();
        for (String line : rules) {
            rule(rule, line);
        }
        for (String subject : subjects.split(",")) {
            subject(rule.withArray("subjects").addObject(), subject);
        }
        return schema;
    }

    private static void subject(ObjectNode subject, String text) {
        String name = text.substring(text.indexOf('=') + 1);
        if (text.startsWith("account=")) {
            String[] parts = name.split("/");
            subject.put("kind", "ServiceAccount")
                    .putObject("serviceAccount")
                    .put("name", parts[1])
                    .put("namespace", parts[0]);
        } else if (text.startsWith("user=")) {
            subject.put("kind", "User").putObject("user").put("name", name);
        } else {
            subject.put("kind", "Group").putObject("group").put("name", name);
        }
    }

    /** {@code all}, {@code path=VERBS PATHS}, or {@code resource=} or {@code cluster=VERBS GROUP RESOURCES}. */
    private static void rule(ObjectNode rule, String line) {
        if (line.equals("all")) {
            rule(rule, "path=* *");
            rule(rule, "cluster=* * *");
            return;
        }
        String[] words = line.substring(line.indexOf('=') + 1).split(" ");
        if (line.startsWith("path=")) {
            ObjectNode paths = rule.withArray("nonResourceRules").addObject();
            texts(paths, "nonResourceURLs", words[1]);
            texts(paths, "verbs", words[0]);
            return;
        }
        ObjectNode resources = rule.withArray("resourceRules").addObject();
        texts(resources, "apiGroups", words[1].equals("core") ? "" : words[1]);
        if (line.startsWith("cluster=")) {
            resources.put("clusterScope", true);
        }
        texts(resources, "namespaces", "*");
        texts(resources, "resources", words[2]);
        texts(resources, "verbs", words[0]);
    }

    private static void texts(ObjectNode node, String field, String joined) {
        ArrayNode list = node.putArray(field);
        List.of(joined.split("\\+", -1)).forEach(list::add);
    }
}
