package io.argosy.server.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.json.Yaml;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which rule of a policy fits which request, and what is wrong with a policy. */
class AuditPolicyTest {
    private static final User USER = new User("alice", List.of("devs", "system:authenticated"));

    private static AuditPolicy policy(String rules) throws IOException {
        String yaml = "apiVersion: audit.k8s.io/v1\nkind: Policy\n" + rules;
        return PolicyFile.parse(Yaml.decode(yaml.getBytes(UTF_8)));
    }

    private static Action on(String verb, String group, String resource, String subresource, String ns, String name) {
        return new Action(USER, verb, group, "v1", resource, subresource, ns, name, "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{level: Metadata}                                                  | true",
                "{level: Metadata, users: [alice]}                                  | true",
                "{level: Metadata, users: [bob]}                                    | false",
                "{level: Metadata, userGroups: [ops, devs]}                         | true",
                "{level: Metadata, userGroups: [ops]}                               | false",
                "{level: Metadata, verbs: [get, patch]}                             | true",
                "{level: Metadata, verbs: [list]}                                   | false",
                "{level: Metadata, resources: [{group: ''}]}                        | true",
                "{level: Metadata, resources: [{group: apps}]}                      | false",
                "{level: Metadata, resources: [{group: '', resources: [pods]}]}     | false",
                "{level: Metadata, resources: [{group: '', resources: [pods/log]}]} | true",
                "{level: Metadata, resources: [{group: '', resources: ['pods/*']}]} | true",
                "{level: Metadata, resources: [{group: '', resources: ['*/log']}]}  | true",
                "{level: Metadata, resources: [{group: '', resources: ['*/exec']}]} | false",
                "{level: Metadata, resources: [{group: '', resources: ['*']}]}      | true",
                "{level: Metadata, resources: [{resources: [pods/log], resourceNames: [web]}]} | true",
                "{level: Metadata, resources: [{resources: [pods/log], resourceNames: [db]}]}  | false",
                "{level: Metadata, namespaces: [default]}                           | true",
                "{level: Metadata, namespaces: ['', kube-system]}                   | false",
                "{level: Metadata, nonResourceURLs: ['/api*']}                      | false"
            })
    void rulesFitRequestsOnResources(String rule, boolean fits) throws IOException {
        Action action = on("get", "", "pods", "log", "default", "web");
        assertThat(policy("rules: [" + rule + "]").of(action).level()).isEqualTo(fits ? Level.Metadata : Level.None);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{level: Metadata, nonResourceURLs: ['/healthz']}   | /healthz | true",
                "{level: Metadata, nonResourceURLs: ['/healthz']}   | /healthz/etcd | false",
                "{level: Metadata, nonResourceURLs: ['/healthz*']}  | /healthz/etcd | true",
                "{level: Metadata, nonResourceURLs: ['*']}          | /version | true",
                "{level: Metadata, resources: [{group: ''}]}        | /version | false",
                "{level: Metadata, namespaces: ['']}                | /version | false",
                "{level: Metadata, verbs: [get]}                    | /version | true"
            })
    void rulesFitRequestsOnPaths(String rule, String path, boolean fits) throws IOException {
        Action action = Action.onPath(USER, "get", path);
        assertThat(policy("rules: [" + rule + "]").of(action).level()).isEqualTo(fits ? Level.Metadata : Level.None);
    }

    @Test
    void theFirstRuleThatFitsCounts() throws IOException {
        AuditPolicy policy = policy("""
                omitStages: [RequestReceived]
                omitManagedFields: true
                rules:
                - level: None
                  users: [bob]
                - level: Request
                  verbs: [create]
                  omitStages: [ResponseStarted]
                  omitManagedFields: false
                - level: RequestResponse
                """);
        AuditPolicy.Verdict created = policy.of(on("create", "", "pods", "", "default", ""));
        assertThat(created.level()).isEqualTo(Level.Request);
        assertThat(created.omitStages()).containsExactlyInAnyOrder(Stage.RequestReceived, Stage.ResponseStarted);
        assertThat(created.omitManagedFields()).isFalse();
        AuditPolicy.Verdict got = policy.of(on("get", "", "pods", "", "default", "p"));
        assertThat(got.level()).isEqualTo(Level.RequestResponse);
        assertThat(got.omitStages()).containsExactly(Stage.RequestReceived);
        assertThat(got.omitManagedFields()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rules: []                               | it has no rules",
                "rules: [{users: [a]}]                   | rules[0].level: Required value",
                "rules: [{level: All}]                   | rules[0].level: Unsupported value: \"All\": supported values: \"None\", \"Metadata\", \"Request\", \"RequestResponse\"",
                "rules: [{level: None, user: [a]}]       | unknown field \"rules[0].user\"",
                "rules: [{level: None, users: a}]        | rules[0].users: must be a list",
                "rules: [{level: None, omitStages: [Begin]}] | rules[0].omitStages: Unsupported value: \"Begin\": supported values: \"RequestReceived\", \"ResponseStarted\", \"ResponseComplete\", \"Panic\"",
                "rules: [{level: None, nonResourceURLs: [healthz]}] | rules[0].nonResourceURLs[0]: Invalid value: \"healthz\": non-resource URL rules must begin with a '/' character",
                "rules: [{level: None, nonResourceURLs: ['/a*b']}]  | rules[0].nonResourceURLs[0]: Invalid value: \"/a*b\": non-resource URL wildcards '*' must be the final character of the rule",
                "rules: [{level: None, nonResourceURLs: ['/a'], namespaces: [b]}] | rules[0].nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs",
                "rules: [{level: None, resources: [{resourceNames: [a]}]}] | rules[0].resources[0].resourceNames: Invalid value: using resourceNames requires at least one resource",
                "rules: [{level: None, resources: [{group: apps/v1}]}] | rules[0].resources[0].group: Invalid value: \"apps/v1\": must not hold a version"
            })
    void aWrongPolicyIsSaidToBe(String rules, String message) {
        assertThatThrownBy(() -> policy(rules))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void aFileThatIsNoPolicyIsSaidToBe(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("policy.yaml");
        assertThatThrownBy(() -> PolicyFile.read(file)).hasMessage("There is no audit policy " + file + ".");
        Files.writeString(file, "kind: Policy\napiVersion: audit.k8s.io/v1beta1\nrules: [{level: None}]\n");
        assertThatThrownBy(() -> PolicyFile.read(file))
                .hasMessage("The audit policy " + file + " cannot be used: it is no Policy of audit.k8s.io/v1.");
        Files.writeString(file, "kind: [");
        assertThatThrownBy(() -> PolicyFile.read(file))
                .hasMessageStartingWith("The audit policy " + file + " cannot be");
    }
}
