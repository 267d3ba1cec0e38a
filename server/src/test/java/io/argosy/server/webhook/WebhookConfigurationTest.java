package io.argosy.server.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules for configurations of webhooks. */
class WebhookConfigurationTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String GOOD = "{'name':'a.example.com','clientConfig':{'url':'https://example.com/hook'},"
            + "'rules':[{'operations':['CREATE'],'apiGroups':[''],'apiVersions':['v1'],'resources':['pods']}],"
            + "'admissionReviewVersions':['v1'],'sideEffects':'None'}";

    private final TestClient admin = SERVER.admin();

    private Reply create(String webhook) {
        return admin.post(
                Configurations.MUTATING + "?dryRun=All", "{'metadata':{'name':'c'},'webhooks':[" + webhook + "]}");
    }

    @Test
    void whatIsLeftOutIsFilledIn() {
        Reply made = create(GOOD).is(201);
        assertThat(made.at("/metadata/generation").asInt()).isEqualTo(1);
        assertThat(made.at("/webhooks/0/failurePolicy").asText()).isEqualTo("Fail");
        assertThat(made.at("/webhooks/0/matchPolicy").asText()).isEqualTo("Equivalent");
        assertThat(made.at("/webhooks/0/reinvocationPolicy").asText()).isEqualTo("Never");
        assertThat(made.at("/webhooks/0/timeoutSeconds").asInt()).isEqualTo(10);
        assertThat(made.at("/webhooks/0/rules/0/scope").asText()).isEqualTo("*");
        assertThat(made.at("/webhooks/0/namespaceSelector").isObject()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'name':'a.example.com' | 'name':'short' | webhooks[0].name: Invalid value: \"short\": should be a domain with at least three segments separated by dots",
                "'url':'https://example.com/hook' | 'url':'http://example.com/hook' | webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
                "'url':'https://example.com/hook' | 'url':'https://example.com/hook?a=b' | webhooks[0].clientConfig.url: Invalid value: \"a=b\": query parameters are not permitted in the URL",
                "'url':'https://example.com/hook' | 'x':'y' | webhooks[0].clientConfig: Required value: exactly one of url or service is required",
                "'url':'https://example.com/hook' | 'service':{'name':'s','namespace':'n','path':'/a//b'} | webhooks[0].clientConfig.service.path: Invalid value: \"/a//b\": segment[1] may not be empty",
                "'url':'https://example.com/hook' | 'service':{'name':'s','namespace':'n','port':70000} | webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
                "'operations':['CREATE'] | 'operations':[] | webhooks[0].rules[0].operations: Required value",
                "'operations':['CREATE'] | 'operations':['*','CREATE'] | webhooks[0].rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations",
                "'operations':['CREATE'] | 'operations':['READ'] | webhooks[0].rules[0].operations[0]: Unsupported value: \"READ\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
                "'resources':['pods'] | 'resources':['pods/*','pods/status'] | webhooks[0].rules[0].resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
                "'sideEffects':'None' | 'sideEffects':'Some' | webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
                "'sideEffects':'None' | 'timeoutSeconds':40,'sideEffects':'None' | webhooks[0].timeoutSeconds: Invalid value: 40: the timeout value must be between 1 and 30 seconds",
                "'sideEffects':'None' | 'failurePolicy':'Maybe','sideEffects':'None' | webhooks[0].failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", \"Ignore\"",
                "'sideEffects':'None' | 'matchPolicy':'','sideEffects':'None' | webhooks[0].matchPolicy: Unsupported value: \"\": supported values: \"Equivalent\", \"Exact\"",
                "['v1'],'side | ['v7'],'side | webhooks[0].admissionReviewVersions: Invalid value: [\"v7\"]: must include at least one of v1, v1beta1",
                "'sideEffects':'None' | 'sideEffects':'None','matchConditions':[{'name':'a','expression':'1 + 1'}] | webhooks[0].matchConditions[0].expression: Invalid value: \"1 + 1\": must evaluate to bool but got int",
                "'sideEffects':'None' | 'sideEffects':'None','matchConditions':[{'expression':'true'}] | webhooks[0].matchConditions[0].name: Required value",
                "'sideEffects':'None' | 'sideEffects':'None','objectSelector':{'matchExpressions':[{'key':'a','operator':'Near'}]} | webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector operator",
            })
    void whatIsWrongIsSaid(String good, String bad, String message) {
        assertThat(GOOD).contains(good);
        Reply refused = create(GOOD.replace(good, bad)).is(422);
        assertThat(refused.message())
                .isEqualTo("MutatingWebhookConfiguration.admissionregistration.k8s.io \"c\" is invalid: " + message);
    }

    @Test
    void expressionsMustCompile() {
        String bad = GOOD.replace(
                "'sideEffects':'None'",
                "'sideEffects':'None','matchConditions':[{'name':'a','expression':'params.x == nothing'}]");
        assertThat(create(bad).is(422).message())
                .contains("webhooks[0].matchConditions[0].expression: Invalid value: ")
                .contains("undeclared reference to 'params'");
    }

    @Test
    void noTwoHaveTheSameName() {
        assertThat(create(GOOD + "," + GOOD).is(422).message())
                .contains("webhooks[1].name: Duplicate value: \"a.example.com\"");
    }
}
