package io.argosy.server.podsecurity;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Namespaces whose labels say what their pods may do. */
class PodSecurityTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String SPEC = "{'containers':[{'name':'c','image':'i'}]}";
    private static final String PRIVILEGED =
            "{'containers':[{'name':'c','image':'i','securityContext':{'privileged':true}}]}";
    private static final String PREFIX = "pod-security.kubernetes.io/";

    private static String labelled(String... labels) {
        String namespace = SERVER.namespace();
        StringBuilder patch = new StringBuilder("{'metadata':{'labels':{");
        for (int i = 0; i < labels.length; i += 2) {
            patch.append(i > 0 ? "," : "").append("'" + PREFIX + labels[i] + "':'" + labels[i + 1] + "'");
        }
        label(namespace, patch.append("}}}").toString()).is(200);
        return namespace;
    }

    private static Reply label(String namespace, String patch) {
        return SERVER.admin().patch("/api/v1/namespaces/" + namespace, "application/merge-patch+json", patch);
    }

    private static Reply pod(String namespace, String name, String spec) {
        return SERVER.admin()
                .post(
                        "/api/v1/namespaces/" + namespace + "/pods",
                        "{'metadata':{'name':'" + name + "'},'spec':" + spec + "}");
    }

    private static String warnings(Reply reply) {
        return String.join("\n", reply.headers().allValues("warning"));
    }

    @Test
    void whatIsEnforcedIsRefusedAndTemplatesAreWarnedOf() {
        String namespace = labelled("enforce", "baseline");
        assertThat(pod(namespace, "bad", PRIVILEGED).is(403).at("/message").asText())
                .isEqualTo(
                        "pods \"bad\" is forbidden: violates PodSecurity \"baseline:latest\": privileged (container \"c\""
                                + " must not set securityContext.privileged=true)");
        assertThat(warnings(pod(namespace, "good", SPEC).is(201))).isEmpty();
        Reply deployment = SERVER.admin()
                .post(
                        "/apis/apps/v1/namespaces/" + namespace + "/deployments",
                        "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':"
                                + PRIVILEGED + "}}}");
        assertThat(deployment.status()).isEqualTo(201);
        assertThat(warnings(deployment)).contains("would violate PodSecurity \\\"baseline:latest\\\": privileged");
    }

    @Test
    void warningsLetThePodPass() {
        String namespace = labelled("warn", "restricted", "warn-version", "v1.21");
        assertThat(warnings(pod(namespace, "p", SPEC).is(201)))
                .contains("would violate PodSecurity \\\"restricted:v1.21\\\": allowPrivilegeEscalation != false");
    }

    @Test
    void aChangeThatTheRulesDoNotLookAtIsAlwaysAllowed() {
        String namespace = SERVER.namespace();
        pod(namespace, "old", PRIVILEGED).is(201);
        pod(namespace, "older", PRIVILEGED).is(201);
        Reply stricter = label(namespace, "{'metadata':{'labels':{'" + PREFIX + "enforce':'baseline'}}}")
                .is(200);
        assertThat(warnings(stricter))
                .contains("existing pods in namespace \\\"" + namespace
                        + "\\\" violate the new PodSecurity enforce level \\\"baseline:latest\\\"")
                .contains("old (and 1 other pod): privileged");
        String path = "/api/v1/namespaces/" + namespace + "/pods/old";
        SERVER.admin()
                .patch(path, "application/merge-patch+json", "{'metadata':{'labels':{'a':'b'}}}")
                .is(200);
        assertThat(SERVER.admin()
                        .patch(
                                path,
                                "application/strategic-merge-patch+json",
                                "{'spec':{'containers':[{'name':'c','image':'j'}]}}")
                        .is(403)
                        .at("/message")
                        .asText())
                .contains("violates PodSecurity");
        SERVER.admin().delete(path);
    }

    @Test
    void labelsThatSayNothingAreRefused() {
        Reply refused = SERVER.admin()
                .post(
                        "/api/v1/namespaces",
                        "{'metadata':{'name':'odd','labels':{'" + PREFIX + "enforce':'strict','" + PREFIX
                                + "warn-version':'1.2'}}}");
        assertThat(refused.is(422).at("/message").asText())
                .contains("metadata.labels[" + PREFIX
                        + "enforce]: Invalid value: \"strict\": must be one of privileged, baseline, restricted")
                .contains("metadata.labels[" + PREFIX
                        + "warn-version]: Invalid value: \"1.2\": must be \"latest\" or \"v1.x\"");
    }
}
