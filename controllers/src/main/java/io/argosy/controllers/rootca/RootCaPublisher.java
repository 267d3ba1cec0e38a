package io.argosy.controllers.rootca;

import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.catalog.ObjectMetas;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.watch.ListWatch;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import java.util.Map;

/**
 * Puts the CA by which the API server is known into every namespace. It watches only the config maps of that one name: all of them
 * would be too many to hold.
 */
public final class RootCaPublisher implements Reconciler {
    static final String NAME = "kube-root-ca.crt";
    private static final String DESCRIPTION = "kubernetes.io/description";
    private static final String DESCRIBED = "Contains a CA bundle that can be used to verify the kube-apiserver when "
            + "using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
            + "guaranteed across distributions of Kubernetes clusters.";

    private final Resources<ConfigMap> resources;
    private final Informer<Namespace> namespaces;
    private final String caPem;

    private RootCaPublisher(Client client, Informers informers, String caPem) {
        resources = client.resources(ConfigMap.class);
        namespaces = informers.of(Namespace.class);
        this.caPem = caPem;
    }

    /** The controller and the watch that feeds it; both are to be started and closed. */
    public record Wired(Controller controller, ListWatch watch) {}

    public static Wired wire(Client client, ApiTransport transport, Informers informers, Clock clock, String caPem) {
        RootCaPublisher publisher = new RootCaPublisher(client, informers, caPem);
        Controller.Builder builder = Controller.named("root-ca-certificate-publisher-controller", informers, clock)
                .workers(1);
        builder.watches(Namespace.class);
        ListWatch watch = new ListWatch(
                transport,
                new GroupVersion("", "v1"),
                "configmaps",
                Map.of("fieldSelector", "metadata.name=" + NAME),
                clock,
                new Copies(builder.queue()));
        return new Wired(builder.reconciler(publisher), watch);
    }

    /** A copy that changed or vanished is looked at again. */
    private record Copies(WorkQueue<NamespacedName> queue) implements ListWatch.Listener {
        @Override
        public String listed(byte[] list) {
            return ObjectMetas.list(list).resourceVersion();
        }

        @Override
        public void event(String type, byte[] object) {
            if (!type.equals("ADDED")) {
                queue.add(NamespacedName.cluster(ObjectMetas.read(object).namespace()));
            }
        }
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Namespace namespace = namespaces.get(key).orElse(null);
        if (namespace == null || namespace.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        ConfigMap before = resources.find(key.name(), NAME).orElse(null);
        try {
            if (before == null) {
                resources.create(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace(key.name())
                        .withName(NAME)
                        .addToAnnotations(DESCRIPTION, DESCRIBED)
                        .endMetadata()
                        .addToData("ca.crt", caPem)
                        .build());
            } else if (!isWhole(before)) {
                resources.update(new ConfigMapBuilder(before)
                        .editMetadata()
                        .addToAnnotations(DESCRIPTION, DESCRIBED)
                        .endMetadata()
                        .withData(Map.of("ca.crt", caPem))
                        .build());
            }
        } catch (ApiException e) {
            if (!e.is(Reason.AlreadyExists) && !Refusals.isNamespaceTerminating(e)) {
                throw e;
            }
        }
        return Result.done();
    }

    private boolean isWhole(ConfigMap copy) {
        Map<String, String> annotations = copy.getMetadata().getAnnotations();
        return Map.of("ca.crt", caPem).equals(copy.getData())
                && annotations != null
                && !annotations.getOrDefault(DESCRIPTION, "").isEmpty();
    }
}
