package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a RuntimeClass means for the pods that name it. */
class RuntimeClassTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String pods;
    private String name;

    @BeforeEach
    void define() {
        admin = SERVER.admin();
        name = SERVER.namespace();
        pods = "/api/v1/namespaces/" + name + "/pods";
        admin.create("/apis/node.k8s.io/v1/runtimeclasses", """
                {'metadata':{'name':'%s'},'handler':'runc','overhead':{'podFixed':{'cpu':'250m','memory':'64Mi'}},
                 'scheduling':{'nodeSelector':{'runtime':'small'},'tolerations':[
                  {'key':'small','operator':'Exists','effect':'NoSchedule'},
                  {'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute'}]}}""".formatted(name));
    }

    private Reply pod(String more) {
        return admin.post(pods, """
                {'metadata':{'generateName':'p-'},'spec':{'containers':[{'name':'c','image':'i'}]%s}}""".formatted(more));
    }

    private String named() {
        return ",'runtimeClassName':'" + name + "'";
    }

    @Test
    void aPodGetsWhatItsClassSays() {
        Reply made = pod(named()
                        + ",'nodeSelector':{'disk':'ssd'},'tolerations':[{'key':'small','operator':'Equal','value':'yes',"
                        + "'effect':'NoSchedule'}]")
                .is(201);
        assertThat(made.at("/spec/overhead/cpu").asText()).isEqualTo("250m");
        assertThat(made.at("/spec/overhead/memory").asText()).isEqualTo("64Mi");
        assertThat(made.at("/spec/nodeSelector").toString()).isEqualTo("{\"disk\":\"ssd\",\"runtime\":\"small\"}");
        assertThat(made.at("/spec/tolerations").findValuesAsText("key"))
                .containsExactlyInAnyOrder("small", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
        made.at("/spec/tolerations").forEach(toleration -> {
            assertThat(toleration.path("operator").asText()).isEqualTo("Exists");
            if (toleration.path("key").asText().endsWith("/not-ready")) {
                assertThat(toleration.has("tolerationSeconds")).isFalse();
            }
        });
        pod(named() + ",'overhead':{'cpu':'0.25','memory':'65536Ki'}").is(201);
        Reply plain = pod("").is(201);
        assertThat(plain.at("/spec").has("overhead")).isFalse();
        assertThat(plain.at("/spec/tolerations").findValuesAsText("tolerationSeconds"))
                .as("of nodes that fail")
                .containsExactly("300", "300");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ",'runtimeClassName':'nowhere' | pod rejected: RuntimeClass \"nowhere\" not found",
                ",'overhead':{'cpu':'1'} | pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
                "NAMED,'overhead':{'cpu':'1'} | pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
                "NAMED,'nodeSelector':{'runtime':'large'} | conflict: runtimeClass.scheduling.nodeSelector[runtime] = small;"
                        + " pod.spec.nodeSelector[runtime] = large"
            },
            quoteCharacter = '\0')
    void aPodThatDoesNotFitItsClassIsRefused(String more, String why) {
        Reply refused = pod(more.replace("NAMED", named())).is(403);
        assertThat(refused.message()).endsWith(" is forbidden: " + why);
    }
}
