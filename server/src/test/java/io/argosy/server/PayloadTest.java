package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ConfigMaps and Secrets may hold. */
class PayloadTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Opaque | {} | ''",
                "example.com/own | {} | ''",
                "kubernetes.io/dockerconfigjson | {'.dockerconfigjson':'{\"auths\":{}}'} | ''",
                "kubernetes.io/dockerconfigjson | {'.dockerconfigjson':'tiger'} | data[.dockerconfigjson]: Invalid"
                        + " value: \"<secret contents redacted>\"",
                "kubernetes.io/dockerconfigjson | {'.dockerconfigjson':'[1]'} | data[.dockerconfigjson]: Invalid value",
                "kubernetes.io/dockerconfigjson | {} | data[.dockerconfigjson]: Required value",
                "kubernetes.io/dockercfg | {'.dockercfg':'tiger'} | data[.dockercfg]: Invalid value",
                "kubernetes.io/dockercfg | {'.dockercfg':'{}'} | ''",
                "kubernetes.io/basic-auth | {'username':''} | ''",
                "kubernetes.io/basic-auth | {} | data[password]: Required value",
                "kubernetes.io/ssh-auth | {'ssh-privatekey':'k'} | ''",
                "kubernetes.io/ssh-auth | {'ssh-privatekey':''} | data[ssh-privatekey]: Required value",
                "kubernetes.io/tls | {'tls.crt':'','tls.key':''} | ''",
                "kubernetes.io/tls | {'tls.crt':'c'} | data[tls.key]: Required value",
                "kubernetes.io/service-account-token | {} | metadata.annotations[kubernetes.io/service-account.name]:"
                        + " Required value"
            })
    void secretsHoldWhatTheirTypePromises(String type, String data, String complaint) {
        Reply reply = admin.send(
                "POST",
                namespace + "/secrets?dryRun=All",
                "application/json",
                ("{'metadata':{'name':'s'},'type':'" + type + "','stringData':DATA}")
                        .replace('\'', '"')
                        .replace("DATA", quoted(data))
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(reply.status()).as(reply.text()).isEqualTo(complaint.isEmpty() ? 201 : 422);
        assertThat(complaint.isEmpty() ? "" : reply.message())
                .contains(complaint)
                .doesNotContain("tiger");
    }

    private static String quoted(String data) {
        return data.replace("\"", "\\\"").replace('\'', '"');
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'data':{'a-b_c.d':''}} | ''",
                "{'data':{'a b':''}} | data[a b]: Invalid value: \"a b\": a valid config key must consist of",
                "{'data':{'.':''}} | must not be '.'",
                "{'data':{'..':''}} | must not be '..'",
                "{'data':{'..a':''}} | must not start with '..'",
                "{'binaryData':{'a':'YQ=='}} | ''",
                "{'data':{'a':''},'binaryData':{'a':'YQ=='}} | data[a]: Invalid value: \"a\": duplicate of key present"
                        + " in binaryData"
            })
    void configMapsHaveKeysAndBytes(String content, String complaint) {
        Reply reply =
                admin.post(namespace + "/configmaps?dryRun=All", "{'metadata':{'name':'m'}," + content.substring(1));
        assertThat(reply.status()).as(reply.text()).isEqualTo(complaint.isEmpty() ? 201 : 422);
        assertThat(complaint.isEmpty() ? "" : reply.message()).contains(complaint);
    }

    @Test
    void aMebibyteOfBytesFitsAndNotOneMore() {
        String encoded = Base64.getEncoder().encodeToString(new byte[1 << 20]);
        String form = "{'metadata':{'name':'s'},'data':{'a':'%s'}}";
        admin.post(namespace + "/secrets?dryRun=All", form.formatted(encoded)).is(201);
        String more = Base64.getEncoder().encodeToString(new byte[(1 << 20) + 1]);
        assertThat(admin.post(namespace + "/secrets?dryRun=All", form.formatted(more))
                        .is(422)
                        .message())
                .contains("data: Too long");
    }
}
