package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Definitions of real projects, as they are in the packages those have published: applied unchanged, and used. */
class RealDefinitionsTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;

    @BeforeAll
    static void client() {
        admin = SERVER.admin();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = RealDefinitionsTest.class.getClassLoader().getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return in.readAllBytes();
        }
    }

    private static Reply post(String path, byte[] yaml) {
        return admin.send("POST", path, "application/yaml", yaml);
    }

    private static void define(String file) throws IOException {
        Reply made = post(DEFINITIONS, resource(file));
        if (made.status() != 409) { // another test was first
            made.is(201);
        }
        String name = made.status() == 409 ? made.at("/details/name").asText() : made.name();
        DefinedResources.await(
                admin,
                name,
                body -> DefinedResources.condition(body, "Established").equals("True"));
    }

    @ParameterizedTest
    @CsvSource({
        "camel.apache.org_builds.yaml, camel.apache.org/v1, builds",
        "camel.apache.org_camelcatalogs.yaml, camel.apache.org/v1, camelcatalogs",
        "camel.apache.org_integrationkits.yaml, camel.apache.org/v1, integrationkits",
        "camel.apache.org_integrationplatforms.yaml, camel.apache.org/v1, integrationplatforms",
        "camel.apache.org_integrationprofiles.yaml, camel.apache.org/v1, integrationprofiles",
        "camel.apache.org_integrations.yaml, camel.apache.org/v1, integrations",
        "camel.apache.org_kameletbindings.yaml, camel.apache.org/v1alpha1, kameletbindings",
        "camel.apache.org_kamelets.yaml, camel.apache.org/v1, kamelets",
        "camel.apache.org_pipes.yaml, camel.apache.org/v1, pipes",
        "META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml, flink.apache.org/v1beta1, flinkdeployments",
        "META-INF/fabric8/flinksessionjobs.flink.apache.org-v1.yml, flink.apache.org/v1beta1, flinksessionjobs",
        "META-INF/fabric8/flinkstatesnapshots.flink.apache.org-v1.yml, flink.apache.org/v1beta1, flinkstatesnapshots",
        "META-INF/fabric8/debeziumservers.debezium.io-v1.yml, debezium.io/v1alpha1, debeziumservers"
    })
    void aDefinitionIsEstablishedAndItsResourceServed(String file, String version, String plural) throws IOException {
        define(file);
        assertThat(admin.get("/apis/" + version + "/namespaces/default/" + plural)
                        .is(200)
                        .names())
                .isEmpty();
        assertThat(admin.get("/openapi/v3/apis/" + version).is(200).text()).contains("/" + plural + "/{name}");
    }

    /** Apache Camel's own connectors, some two hundred objects. A few say nothing where their schema demands an object, and Kubernetes refuses those, too. */
    @Test
    void theKameletsOfTheCatalogueAreTakenAsTheyAre() throws IOException {
        define("camel.apache.org_kamelets.yaml");
        String kamelets = "/apis/camel.apache.org/v1/namespaces/" + SERVER.namespace() + "/kamelets";
        List<String> names = new ArrayList<>();
        String place = RealDefinitionsTest.class
                .getClassLoader()
                .getResource("kamelets")
                .getPath();
        try (JarFile jar = new JarFile(place.substring("file:".length(), place.indexOf('!')))) {
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
                String name = all.nextElement().getName();
                if (name.startsWith("kamelets/") && name.endsWith(".kamelet.yaml")) {
                    Reply reply = post(kamelets, resource(name));
                    if (reply.status() == 422) {
                        assertThat(reply.message()).endsWith("in body must be of type object: \"null\"");
                    } else {
                        names.add(reply.is(201).name());
                    }
                }
            }
        }
        assertThat(names).hasSizeGreaterThan(200);
        assertThat(admin.get(kamelets).is(200).names()).containsExactlyInAnyOrderElementsOf(names);
        Reply refused = admin.patch(
                        kamelets + "/log-sink", TestClient.MERGE_PATCH, "{'spec':{'definition':{'title':7}}}")
                .is(422);
        assertThat(refused.message()).contains("spec.definition.title in body must be of type string");
    }

    @Test
    void aFlinkDeploymentIsWrittenPrunedAndRefused() throws IOException {
        define("META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml");
        String deployments = "/apis/flink.apache.org/v1beta1/namespaces/default/flinkdeployments";
        Reply made = admin.create(deployments, """
                {'apiVersion':'flink.apache.org/v1beta1','kind':'FlinkDeployment','metadata':{'name':'basic'},
                 'spec':{'image':'flink:1.17','flinkVersion':'v1_17','serviceAccount':'flink','nowhere':1,
                  'flinkConfiguration':{'taskmanager.numberOfTaskSlots':'2'},
                  'podTemplate':{'spec':{'containers':[{'name':'flink-main-container','env':[{'name':'A','value':'b'}]}]}},
                  'jobManager':{'resource':{'memory':'2048m','cpu':1}},'taskManager':{'resource':{'memory':'2048m','cpu':1}},
                  'job':{'jarURI':'local:///opt/flink/examples/StateMachineExample.jar','parallelism':2}}}""");
        assertThat(made.at("/spec").has("nowhere")).isFalse();
        assertThat(made.at("/spec/podTemplate/spec/containers/0/env/0/value").asText())
                .isEqualTo("b");
        assertThat(admin.patch(deployments + "/basic", TestClient.MERGE_PATCH, "{'spec':{'flinkVersion':'v0'}}")
                        .is(422)
                        .message())
                .contains("spec.flinkVersion: Unsupported value: \"v0\"");
    }
}
