package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An operator on java-operator-sdk, as anybody would write it: finalizers, owned objects, status and clearing up. */
class OperatorSdkTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String SITES = "/apis/web.example.com/v1/namespaces/default/sites";
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    /** What is wanted. */
    public static final class SiteSpec {
        public String page;
    }

    /** What there is. */
    public static final class SiteStatus {
        public String map;
    }

    /** The custom resource. */
    @Group("web.example.com")
    @Version("v1")
    public static final class Site extends CustomResource<SiteSpec, SiteStatus> implements Namespaced {
        private static final long serialVersionUID = 1L;
    }

    /** Makes of every site a map with its page. */
    @ControllerConfiguration(name = "sites")
    private static final class SiteReconciler implements Reconciler<Site>, Cleaner<Site> {
        private final List<String> cleared = new CopyOnWriteArrayList<>();

        @Override
        public List<EventSource<?, Site>> prepareEventSources(EventSourceContext<Site> context) {
            return List.of(new InformerEventSource<>(
                    InformerEventSourceConfiguration.from(ConfigMap.class, Site.class)
                            .build(),
                    context));
        }

        @Override
        public UpdateControl<Site> reconcile(Site site, Context<Site> context) {
            String name = site.getMetadata().getName();
            ConfigMap map = new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName(name + "-page")
                    .withNamespace(site.getMetadata().getNamespace())
                    .endMetadata()
                    .withData(Map.of("index.html", site.getSpec().page))
                    .build();
            map.addOwnerReference(site);
            context.getClient().resource(map).forceConflicts().serverSideApply();
            Site told = new Site();
            told.setMetadata(site.getMetadata());
            told.setStatus(new SiteStatus());
            told.getStatus().map = name + "-page";
            return UpdateControl.patchStatus(told);
        }

        @Override
        public DeleteControl cleanup(Site site, Context<Site> context) {
            cleared.add(site.getMetadata().getName());
            return DeleteControl.defaultDelete();
        }
    }

    @Test
    void anOperatorKeepsItsWorld() {
        TestClient admin = SERVER.admin();
        admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", """
                {'metadata':{'name':'sites.web.example.com'},'spec':{'group':'web.example.com','scope':'Namespaced',
                 'names':{'kind':'Site','plural':'sites'},'versions':[{'name':'v1','served':true,'storage':true,
                 'subresources':{'status':{}},'schema':{'openAPIV3Schema':{'type':'object','properties':{
                 'spec':{'type':'object','properties':{'page':{'type':'string'}}},
                 'status':{'type':'object','properties':{'map':{'type':'string'}}}}}}}]}}""");
        admin.await(SITES, reply -> reply.status() == 200);
        Config config = new ConfigBuilder()
                .withMasterUrl("https://127.0.0.1:" + SERVER.address().getPort())
                .withOauthToken(ServiceAccountAccess.token(SERVER))
                .withTrustCerts(true)
                .withNamespace("default")
                .build();
        SiteReconciler reconciler = new SiteReconciler();
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            Operator operator = new Operator(
                    overrider -> overrider.withKubernetesClient(client).withCloseClientOnStop(false));
            operator.register(reconciler);
            operator.start();
            try {
                admin.create(
                        SITES,
                        "{'apiVersion':'web.example.com/v1','kind':'Site','metadata':{'name':'home'},'spec':{'page':'hello'}}");
                admin.await(
                        SITES + "/home",
                        reply -> reply.at("/status/map").asText().equals("home-page"));
                assertThat(admin.get(SITES + "/home")
                                .at("/metadata/finalizers/0")
                                .asText())
                        .isEqualTo("sites.web.example.com/finalizer");
                admin.patch(SITES + "/home", TestClient.MERGE_PATCH, "{'spec':{'page':'goodbye'}}")
                        .is(200);
                admin.await(
                        MAPS + "/home-page",
                        reply -> reply.at("/data/index.html").asText().equals("goodbye"));
                admin.delete(MAPS + "/home-page").is(200);
                admin.await(MAPS + "/home-page", reply -> reply.status() == 200);
                admin.delete(SITES + "/home").is(200);
                admin.await(SITES + "/home", reply -> reply.status() == 404);
                assertThat(reconciler.cleared).containsExactly("home");
            } finally {
                operator.stop();
            }
        }
    }
}
