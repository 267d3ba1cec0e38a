package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Service accounts that limit what their pods may read, and whose tokens are asked for by name. */
class MountableSecretsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void account() {
        admin = SERVER.admin();
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
        admin.create(
                namespace + "/serviceaccounts",
                "{'metadata':{'name':'strict','annotations':{'kubernetes.io/enforce-mountable-secrets':'true'}},"
                        + "'secrets':[{'name':'mine'}],'imagePullSecrets':[{'name':'pull'}]}");
    }

    private Reply pod(String account, String spec, String container) {
        return admin.post(
                namespace + "/pods",
                "{'metadata':{'name':'p'},'spec':{'serviceAccountName':'" + account + "'," + spec
                        + "'containers':[{'name':'c','image':'i'" + container + "}]}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        'volumes':[{'name':'v','secret':{'secretName':'other'}}], | ~~ | volume with secret.secretName="other" is not allowed because service account strict does not reference that secret
        'imagePullSecrets':[{'name':'mine'}], | ~~ | imagePullSecrets[0].name="mine" is not allowed because service account strict does not reference that imagePullSecret
        ~~ | ,'env':[{'name':'A','valueFrom':{'secretKeyRef':{'name':'other','key':'k'}}}] | container c with envVar A referencing secret.secretName="other" is not allowed because service account strict does not reference that secret
        ~~ | ,'envFrom':[{'secretRef':{'name':'other'}}] | container c with envFrom referencing secret.secretName="other" is not allowed because service account strict does not reference that secret
        'initContainers':[{'name':'i','image':'i','envFrom':[{'secretRef':{'name':'other'}}]}], | ~~ | init container i with envFrom referencing secret.secretName="other" is not allowed because service account strict does not reference that secret
        """)
    void whatAStrictAccountDoesNotListItsPodsDoNotGet(String spec, String container, String why) {
        assertThat(pod("strict", spec, container).is(403).message()).endsWith("is forbidden: " + why);
        pod("default", spec, container).is(201);
    }

    @Test
    void whatItListsTheyGetAndNoMoreByDebugging() {
        Reply made = pod("strict", "'volumes':[{'name':'v','secret':{'secretName':'mine'}}],", "")
                .is(201);
        assertThat(made.at("/spec/imagePullSecrets/0/name").asText()).isEqualTo("pull");
        assertThat(admin.patch(
                                namespace + "/pods/p/ephemeralcontainers",
                                TestClient.STRATEGIC,
                                "{'spec':{'ephemeralContainers':[{'name':'d','image':'i','envFrom':[{'secretRef':"
                                        + "{'name':'other'}}]}]}}")
                        .is(403)
                        .message())
                .contains("ephemeral container d with envFrom referencing secret.secretName=\"other\" is not allowed");
    }

    @Test
    void aTokenIsGivenForTheAccountThatIsMeant() {
        String door = namespace + "/serviceaccounts/strict/token";
        assertThat(admin.post(door, "{'metadata':{'name':'other'}}").causes())
                .containsExactly("metadata.name: Invalid value: \"other\": must match the service account name if"
                        + " specified");
        assertThat(admin.post(door, "{'metadata':{'uid':'old'}}").is(409).message())
                .contains("the UID in the token request (old) does not match the UID of the service account (");
        String uid = admin.get(namespace + "/serviceaccounts/strict")
                .at("/metadata/uid")
                .asText();
        assertThat(admin.post(door, "{}").is(201).at("/metadata/uid").asText()).isEqualTo(uid);
        admin.post(door, "{'metadata':{'name':'strict','uid':'" + uid + "'}}").is(201);
    }
}
