package io.argosy.server.flow;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which requests belong together, and to which priority level; as a FlowSchema object says it, made ready for asking. */
record FlowSchema(
        String name, String uid, String level, int precedence, Distinguisher distinguisher, List<Rule> rules) {
    private static final String ALL = "*";

    /** Stands for every set with a star in it, so that it is known without a look inside. */
    private static final Set<String> EVERYTHING = Set.of(ALL);

    /** What makes two flows of the requests of one schema. */
    enum Distinguisher {
        NONE,
        BY_USER,
        BY_NAMESPACE
    }

    /** Who, and what of theirs; lists hold {@code *} for everything. */
    record Rule(
            Set<String> users,
            Set<String> groups,
            Set<String> accounts,
            List<OnResources> resources,
            List<OnPaths> paths) {
        private boolean isOf(User user) {
            if (has(users, user.name()) || groups == EVERYTHING) {
                return true;
            }
            List<String> own = user.groups();
            for (int i = 0; i < own.size(); i++) {
                if (groups.contains(own.get(i))) {
                    return true;
                }
            }
            return !accounts.isEmpty() && isAccount(user.name());
        }

        private boolean isAccount(String user) {
            if (!user.startsWith(ServiceAccountTokens.USER_PREFIX)) {
                return false;
            }
            String account = user.substring(ServiceAccountTokens.USER_PREFIX.length());
            int colon = account.indexOf(':');
            return accounts.contains(account)
                    || (colon > 0 && accounts.contains(account.substring(0, colon + 1) + ALL));
        }
    }

    record OnResources(
            Set<String> verbs,
            Set<String> groups,
            Set<String> resources,
            Set<String> namespaces,
            boolean clusterScope) {
        private boolean matches(Action action) {
            return has(verbs, action.verb())
                    && has(groups, action.group())
                    && hasResource(action)
                    && (action.namespace().isEmpty() ? clusterScope : has(namespaces, action.namespace()));
        }

        private boolean hasResource(Action action) {
            return resources == EVERYTHING
                    || resources.contains(
                            action.subresource().isEmpty()
                                    ? action.resource()
                                    : action.resource() + "/" + action.subresource());
        }
    }

    record OnPaths(Set<String> verbs, Set<String> paths) {
        private boolean matches(Action action) {
            if (!has(verbs, action.verb())) {
                return false;
            }
            for (String path : paths) {
                if (path.equals(action.path())
                        || (path.endsWith(ALL)
                                && action.path().startsWith(path.substring(0, path.length() - ALL.length())))) {
                    return true;
                }
            }
            return false;
        }
    }

    private static boolean has(Set<String> set, String value) {
        return set == EVERYTHING || set.contains(value);
    }

    static FlowSchema of(JsonNode object) {
        JsonNode spec = object.path("spec");
        List<Rule> rules = new ArrayList<>();
        for (JsonNode rule : spec.path("rules")) {
            rules.add(rule(rule));
        }
        return new FlowSchema(
                object.at("/metadata/name").asText(),
                object.at("/metadata/uid").asText(""),
                spec.at("/priorityLevelConfiguration/name").asText(),
                spec.path("matchingPrecedence").asInt(1000),
                switch (spec.at("/distinguisherMethod/type").asText("")) {
                    case "ByUser" -> Distinguisher.BY_USER;
                    case "ByNamespace" -> Distinguisher.BY_NAMESPACE;
                    default -> Distinguisher.NONE;
                },
                rules);
    }

    private static Rule rule(JsonNode rule) {
        List<String> users = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        List<String> accounts = new ArrayList<>();
        for (JsonNode subject : rule.path("subjects")) {
            switch (subject.path("kind").asText()) {
                case "User" -> users.add(subject.at("/user/name").asText());
                case "Group" -> groups.add(subject.at("/group/name").asText());
                default ->
                    accounts.add(subject.at("/serviceAccount/namespace").asText() + ":"
                            + subject.at("/serviceAccount/name").asText());
            }
        }
        List<OnResources> resources = new ArrayList<>();
        for (JsonNode one : rule.path("resourceRules")) {
            resources.add(new OnResources(
                    texts(one, "verbs"),
                    texts(one, "apiGroups"),
                    texts(one, "resources"),
                    texts(one, "namespaces"),
                    one.path("clusterScope").asBoolean()));
        }
        List<OnPaths> paths = new ArrayList<>();
        for (JsonNode one : rule.path("nonResourceRules")) {
            paths.add(new OnPaths(texts(one, "verbs"), texts(one, "nonResourceURLs")));
        }
        return new Rule(set(users), set(groups), Set.copyOf(accounts), resources, paths);
    }

    private static Set<String> texts(JsonNode node, String field) {
        List<String> texts = new ArrayList<>();
        node.path(field).forEach(text -> texts.add(text.asText()));
        return set(texts);
    }

    private static Set<String> set(List<String> texts) {
        return texts.contains(ALL) ? EVERYTHING : Set.copyOf(texts);
    }

    boolean matches(Action action) {
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            if (rule.isOf(action.user()) && matches(rule, action)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(Rule rule, Action action) {
        if (action.isOnResource()) {
            for (int i = 0; i < rule.resources.size(); i++) {
                if (rule.resources.get(i).matches(action)) {
                    return true;
                }
            }
            return false;
        }
        for (int i = 0; i < rule.paths.size(); i++) {
            if (rule.paths.get(i).matches(action)) {
                return true;
            }
        }
        return false;
    }

    /** What tells the request's flow from others of this schema. */
    String distinguisher(Action action) {
        return switch (distinguisher) {
            case BY_USER -> action.user().name();
            case BY_NAMESPACE -> action.namespace();
            case NONE -> "";
        };
    }
}
