package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestServer;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A custom class in the client that Java people use: defined, written, watched, refused. */
class Fabric8ClientTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String DEFINITION = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: bridges.net.example.com}
            spec:
              group: net.example.com
              scope: Namespaced
              names: {kind: Bridge, plural: bridges}
              versions:
              - name: v1
                served: true
                storage: true
                subresources: {status: {}}
                schema:
                  openAPIV3Schema:
                    type: object
                    properties:
                      spec:
                        type: object
                        required: [cidr]
                        properties:
                          cidr: {type: string, maxLength: 43}
                          gateway: {type: string, maxLength: 39}
                        x-kubernetes-validations:
                        - rule: "isCIDR(self.cidr)"
                          message: "cidr must be a range of addresses"
                        - rule: "!has(self.gateway) || cidr(self.cidr).containsIP(self.gateway)"
                          message: "the gateway must be in the range"
                      status:
                        type: object
                        properties: {phase: {type: string}}
            """;

    /** What is wanted. */
    public static final class BridgeSpec {
        private String cidr;
        private String gateway;

        public String getCidr() {
            return cidr;
        }

        public void setCidr(String cidr) {
            this.cidr = cidr;
        }

        public String getGateway() {
            return gateway;
        }

        public void setGateway(String gateway) {
            this.gateway = gateway;
        }
    }

    /** What is. */
    public static final class BridgeStatus {
        private String phase;

        public String getPhase() {
            return phase;
        }

        public void setPhase(String phase) {
            this.phase = phase;
        }
    }

    /** The custom resource. */
    @Group("net.example.com")
    @Version("v1")
    public static final class Bridge extends CustomResource<BridgeSpec, BridgeStatus> implements Namespaced {
        private static final long serialVersionUID = 1L;
    }

    private static Bridge bridge(String name, String cidr, String gateway) {
        Bridge bridge = new Bridge();
        bridge.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace("default").build());
        bridge.setSpec(new BridgeSpec());
        bridge.getSpec().setCidr(cidr);
        bridge.getSpec().setGateway(gateway);
        return bridge;
    }

    @Test
    void aCustomClassIsWrittenWatchedAndRefused() throws Exception {
        Config config = new ConfigBuilder()
                .withMasterUrl("https://127.0.0.1:" + SERVER.address().getPort())
                .withOauthToken(ServiceAccountAccess.token(SERVER))
                .withTrustCerts(true)
                .withNamespace("default")
                .build();
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            CustomResourceDefinition definition = client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .load(new ByteArrayInputStream(DEFINITION.getBytes(StandardCharsets.UTF_8)))
                    .serverSideApply();
            client.resource(definition)
                    .waitUntilCondition(
                            found -> found != null
                                    && found.getStatus() != null
                                    && found.getStatus().getConditions().stream()
                                            .anyMatch(one -> one.getType().equals("Established")
                                                    && one.getStatus().equals("True")),
                            60,
                            TimeUnit.SECONDS);
            MixedOperation<Bridge, KubernetesResourceList<Bridge>, Resource<Bridge>> bridges =
                    client.resources(Bridge.class);
            BlockingQueue<String> seen = new LinkedBlockingQueue<>();
            try (SharedIndexInformer<Bridge> informer =
                    bridges.inNamespace("default").inform(new Recorder(seen))) {
                Bridge made = bridges.resource(bridge("one", "10.0.0.0/8", "10.0.0.1"))
                        .create();
                assertThat(made.getMetadata().getGeneration()).isEqualTo(1);
                assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("added one null");
                made.setStatus(new BridgeStatus());
                made.getStatus().setPhase("Up");
                bridges.resource(made).updateStatus();
                assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo("updated one Up");
            }
            assertThat(bridges.inNamespace("default").list().getItems()).hasSize(1);
            assertThat(refusal(bridges, bridge("two", "nonsense", null)))
                    .contains("spec: Invalid value: cidr must be a range of addresses");
            assertThat(refusal(bridges, bridge("two", "10.0.0.0/8", "11.0.0.1")))
                    .contains(
                            "Bridge.net.example.com \"two\" is invalid: spec: Invalid value: the gateway must be in the range");
        }
    }

    private static String refusal(
            MixedOperation<Bridge, KubernetesResourceList<Bridge>, Resource<Bridge>> bridges, Bridge bridge) {
        try {
            bridges.resource(bridge).create();
            return "accepted";
        } catch (KubernetesClientException refused) {
            return refused.getMessage();
        }
    }

    private record Recorder(BlockingQueue<String> seen) implements ResourceEventHandler<Bridge> {
        @Override
        public void onAdd(Bridge bridge) {
            seen.add("added " + bridge.getMetadata().getName() + " " + phase(bridge));
        }

        @Override
        public void onUpdate(Bridge before, Bridge bridge) {
            seen.add("updated " + bridge.getMetadata().getName() + " " + phase(bridge));
        }

        @Override
        public void onDelete(Bridge bridge, boolean unknown) {
            seen.add("deleted " + bridge.getMetadata().getName());
        }

        private static String phase(Bridge bridge) {
            return bridge.getStatus() == null ? null : bridge.getStatus().getPhase();
        }
    }
}
