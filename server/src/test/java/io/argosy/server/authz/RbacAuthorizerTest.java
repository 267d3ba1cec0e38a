package io.argosy.server.authz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RbacAuthorizerTest {
    private static final String POLICY = """
            - {kind: Role, metadata: {name: example-role, namespace: shop}, rules: [
                {apiGroups: [""], resources: [pods], verbs: [get, watch, list]}]}
            - {kind: RoleBinding, metadata: {name: example, namespace: shop}, roleRef: {kind: Role, name: example-role},
                subjects: [{kind: User, name: example-user}, {kind: ServiceAccount, name: example-sa}]}
            - {kind: Role, metadata: {name: one, namespace: shop}, rules: [
                {apiGroups: [""], resources: [configmaps, pods/log], resourceNames: [web], verbs: [get, update]},
                {apiGroups: [""], resources: [configmaps], resourceNames: [web], verbs: [create, list]}]}
            - {kind: RoleBinding, metadata: {name: one, namespace: shop}, roleRef: {kind: Role, name: one},
                subjects: [{kind: User, name: namer}]}
            - {kind: ClusterRole, metadata: {name: scaler}, rules: [
                {apiGroups: ["*"], resources: ["*/scale"], verbs: [update]}]}
            - {kind: ClusterRoleBinding, metadata: {name: scalers}, roleRef: {kind: ClusterRole, name: scaler},
                subjects: [{kind: Group, name: scalers}]}
            - {kind: ClusterRole, metadata: {name: paths}, rules: [
                {nonResourceURLs: [/healthz, "/metrics/*"], verbs: [get]}]}
            - {kind: ClusterRoleBinding, metadata: {name: paths}, roleRef: {kind: ClusterRole, name: paths},
                subjects: [{kind: User, name: prober}]}
            - {kind: RoleBinding, metadata: {name: all, namespace: shop}, roleRef: {kind: ClusterRole, name: all},
                subjects: [{kind: User, name: owner}]}
            - {kind: ClusterRole, metadata: {name: all}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}
            - {kind: ClusterRoleBinding, metadata: {name: lost}, roleRef: {kind: ClusterRole, name: not-there},
                subjects: [{kind: User, name: prober}]}
            """;

    private final RbacAuthorizer authorizer = new RbacAuthorizer();

    RbacAuthorizerTest() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        Yaml.decode(POLICY.getBytes(StandardCharsets.UTF_8)).forEach(objects::add);
        authorizer.expect(objects);
    }

    private static User user(String name) {
        return switch (name) {
            case "master" -> new User("root", List.of(User.MASTERS));
            case "scalers-member" -> new User(name, List.of("others", "scalers"));
            case "example-sa" -> new User("system:serviceaccount:shop:example-sa", List.of());
            case "foreign-sa" -> new User("system:serviceaccount:other:example-sa", List.of());
            default -> new User(name, List.of(User.AUTHENTICATED));
        };
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # user,         verb,   group, resource,    subresource, namespace, name, allowed
            example-user,   get,    '',    pods,        '',          shop,      web,  true
            example-user,   list,   '',    pods,        '',          shop,      '',   true
            example-user,   watch,  '',    pods,        '',          shop,      '',   true
            example-user,   create, '',    pods,        '',          shop,      '',   false
            example-user,   delete, '',    pods,        '',          shop,      web,  false
            example-user,   get,    '',    pods,        log,         shop,      web,  false
            example-user,   get,    '',    secrets,     '',          shop,      web,  false
            example-user,   get,    apps,  pods,        '',          shop,      web,  false
            example-user,   get,    '',    pods,        '',          other,     web,  false
            example-user,   list,   '',    pods,        '',          '',        '',   false
            example-sa,     list,   '',    pods,        '',          shop,      '',   true
            foreign-sa,     list,   '',    pods,        '',          shop,      '',   false
            somebody,       get,    '',    pods,        '',          shop,      web,  false
            namer,          get,    '',    configmaps,  '',          shop,      web,  true
            namer,          get,    '',    configmaps,  '',          shop,      db,   false
            namer,          list,   '',    configmaps,  '',          shop,      '',   false
            namer,          create, '',    configmaps,  '',          shop,      '',   false
            namer,          get,    '',    pods,        log,         shop,      web,  true
            namer,          get,    '',    pods,        '',          shop,      web,  false
            scalers-member, update, apps,  deployments, scale,       any,       web,  true
            scalers-member, update, apps,  deployments, '',          any,       web,  false
            scalers-member, update, apps,  deployments, status,      any,       web,  false
            owner,          delete, apps,  deployments, '',          shop,      web,  true
            owner,          create, '',    pods,        exec,        shop,      web,  true
            owner,          delete, apps,  deployments, '',          other,     web,  false
            owner,          get,    '',    nodes,       '',          '',        n,    false
            master,         delete, x,     y,           z,           '',        '',   true
            """)
    void resources(
            String who,
            String verb,
            String group,
            String resource,
            String subresource,
            String namespace,
            String name,
            boolean allowed) {
        Action action = new Action(user(who), verb, group, "v1", resource, subresource, namespace, name, "");
        assertThat(authorizer.allows(action)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({
        "prober, get, /healthz, true",
        "prober, get, /healthz/ping, false",
        "prober, get, /metrics/cadvisor, true",
        "prober, get, /metrics, false",
        "prober, post, /healthz, false",
        "owner, get, /healthz, false",
        "master, get, /anything, true"
    })
    void paths(String who, String verb, String path, boolean allowed) {
        assertThat(authorizer.allows(Action.onPath(user(who), verb, path))).isEqualTo(allowed);
    }

    @Test
    void theReasonNamesTheBinding() {
        Action action = new Action(user("example-sa"), "get", "", "v1", "pods", "", "shop", "web", "");
        assertThat(authorizer.decide(action).reason())
                .isEqualTo("RBAC: allowed by RoleBinding \"example/shop\" of Role \"example-role\" to ServiceAccount"
                        + " \"example-sa/shop\"");
    }

    @Test
    void whatSomebodyLacksIsNamedVerbsTogether() {
        List<PolicyRule> had = authorizer.rules(user("example-user"), "shop");
        PolicyRule wanted = new PolicyRule(
                List.of("get", "delete", "patch"), List.of(""), List.of("pods"), List.of("web"), List.of());
        assertThat(Coverage.missing(had, List.of(wanted)))
                .hasToString("[{APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"web\"],"
                        + " Verbs:[\"delete\" \"patch\"]}]");
        assertThat(Coverage.missing(PolicyRule.FULL_AUTHORITY, List.of(wanted))).isEmpty();
        assertThat(Coverage.missing(List.of(wanted), had)).isNotEmpty();
    }

    @Test
    void aSubjectOfTenThousandBindingsIsFoundByPlace() {
        RoleIndex index = new RoleIndex();
        for (int i = 0; i < 10_000; i++) {
            index.put(
                    RoleIndex.Kind.ROLE_BINDING,
                    Json.decodeObject(("""
                    {"metadata":{"name":"b","namespace":"ns-%d"},"roleRef":{"kind":"ClusterRole","name":"all"},
                     "subjects":[{"kind":"User","name":"u"},{"kind":"Group","name":"g-%d"}]}""".formatted(i, i)).getBytes(StandardCharsets.UTF_8)));
        }
        assertThat(index.held("ns-77", "u:u")).hasSize(1);
        assertThat(index.held("ns-77", "g:g-77")).hasSize(1);
        assertThat(index.held("ns-77", "g:g-78")).isEmpty();
        index.remove(RoleIndex.Kind.ROLE_BINDING, "ns-77", "b");
        assertThat(index.held("ns-77", "u:u")).isEmpty();
        assertThat(index.held("ns-78", "u:u")).hasSize(1);
    }
}
