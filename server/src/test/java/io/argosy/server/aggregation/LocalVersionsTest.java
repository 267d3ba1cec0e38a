package io.argosy.server.aggregation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import io.argosy.server.rest.LocalApi;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The registrations of what this server answers for itself, and how somebody takes such a version over. */
class LocalVersionsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String REGISTRATIONS = "/apis/apiregistration.k8s.io/v1/apiservices";
    private static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String USAGE = REGISTRATIONS + "/v1beta1.metrics.k8s.io";

    private static TestClient admin;

    @BeforeAll
    static void register() {
        admin = SERVER.admin();
        SERVER.server().aggregation().registerOwn();
        admin.await(USAGE, reply -> reply.status() == 200);
    }

    @Test
    void everyBuiltInVersionIsRegistered() {
        Reply core = admin.await(REGISTRATIONS + "/v1.", reply -> reply.status() == 200);
        assertThat(core.at("/spec"))
                .isEqualTo(Json.decodeObject("""
                {"groupPriorityMinimum":18000,"version":"v1","versionPriority":1}""".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(core.at("/metadata/labels/kube-aggregator.kubernetes.io~1automanaged")
                        .asText())
                .isEqualTo("onstart");
        assertThat(core.at("/status/conditions/0/message").asText())
                .isEqualTo("Local APIServices are always available");
        Reply all = admin.await(
                REGISTRATIONS,
                reply -> reply.names().contains("v1beta1.extensions")
                        && reply.names().size() > 25);
        assertThat(all.names())
                .contains("v1.apps", "v2.autoscaling", "v1.apiextensions.k8s.io", "v1alpha1.settings.k8s.io")
                .doesNotContain("v1.apiregistration.k8s.io");
        assertThat(admin.get(REGISTRATIONS + "/v1.rbac.authorization.k8s.io")
                        .at("/spec/groupPriorityMinimum")
                        .asInt())
                .isEqualTo(17000);
    }

    @Test
    void versionsOfCustomResourcesComeAndGo() {
        admin.create(DEFINITIONS, """
                {'metadata':{'name':'ships.harbour.example.com'},'spec':{'group':'harbour.example.com','scope':'Namespaced',
                 'names':{'kind':'Ship','plural':'ships'},
                 'versions':[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object'}}}]}}""");
        String registration = REGISTRATIONS + "/v1.harbour.example.com";
        Reply found = admin.await(registration, reply -> reply.status() == 200);
        assertThat(found.at("/spec/groupPriorityMinimum").asInt()).isEqualTo(1000);
        assertThat(found.at("/spec/versionPriority").asInt()).isEqualTo(100);
        String uid = found.at("/metadata/uid").asText();
        admin.delete(registration).is(200);
        admin.await(
                registration,
                reply -> reply.status() == 200
                        && !reply.at("/metadata/uid").asText().equals(uid));
        admin.delete(DEFINITIONS + "/ships.harbour.example.com").is(200);
        admin.await(registration, reply -> reply.status() == 404);
    }

    @Test
    void measuringCanBeLeftToAnotherServer() throws Exception {
        String namespace = SERVER.namespace();
        LocalApi autoscaler = SERVER.server().local(new User("system:autoscaler", List.of(User.MASTERS)));
        LocalApi.Call usage = new LocalApi.Call(
                "list",
                new GroupVersion("metrics.k8s.io", "v1beta1"),
                "pods",
                namespace,
                "",
                "",
                Map.of("labelSelector", "a in (b, c)"),
                "",
                new byte[0]);
        assertThat(Json.decodeObject(autoscaler.send(usage).json()).path("kind").asText())
                .isEqualTo("PodMetricsList");
        try (TestExtension server =
                new TestExtension(SERVER, "metrics.k8s.io/v1beta1", 0, "metrics." + namespace + ".svc")) {
            admin.create(
                    "/api/v1/namespaces/" + namespace + "/services",
                    "{'metadata':{'name':'metrics'},'spec':{'ports':[{'port':443}]}}");
            SERVER.self().create("/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices", """
                    {'metadata':{'name':'m','labels':{'kubernetes.io/service-name':'metrics'}},'addressType':'IPv4',
                     'endpoints':[{'addresses':['127.0.0.1']}],'ports':[{'port':%d}]}""".formatted(
                            server.port()));
            admin.patch(USAGE, TestClient.MERGE_PATCH, """
                    {'spec':{'insecureSkipTLSVerify':true,'service':{'namespace':'%s','name':'metrics'}}}""".formatted(namespace)).is(200);
            admin.await(
                    USAGE,
                    reply -> reply.at("/status/conditions/0/reason").asText().equals("Passed"));
            String pods = "/apis/metrics.k8s.io/v1beta1/namespaces/" + namespace + "/pods";
            assertThat(admin.get(pods).is(200).at("/target").asText()).isEqualTo(pods);
            assertThat(admin.get(pods + "/one").is(200).at("/target").asText()).isEqualTo(pods + "/one");
            var told = Json.decodeObject(autoscaler.send(usage).json());
            assertThat(told.path("target").asText()).isEqualTo(pods + "?labelSelector=a+in+%28b%2C+c%29");
            assertThat(told.at("/headers/x-remote-user").asText()).isEqualTo("system:autoscaler");
        }
        assertThatThrownBy(() -> autoscaler.send(usage)).isInstanceOf(ApiException.class);
        admin.await(
                USAGE, reply -> reply.at("/status/conditions/0/status").asText().equals("False"));
        admin.delete(USAGE).is(200);
        admin.await(
                USAGE, reply -> reply.at("/status/conditions/0/reason").asText().equals("Local"));
        assertThat(Json.decodeObject(autoscaler.send(usage).json()).path("kind").asText())
                .isEqualTo("PodMetricsList");
    }
}
