package io.argosy.controllers.namespace;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
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
import io.argosy.client.model.Models;
import io.argosy.controllers.catalog.ObjectMetas;
import io.argosy.controllers.catalog.RawObjects;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.catalog.ResourceCatalog.ApiResource;
import io.argosy.controllers.meta.Timestamps;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceCondition;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Empties a namespace that is going away, pods first, and lets it go when nothing is left in it. */
public final class NamespaceReconciler implements Reconciler {
    private static final String FINALIZER = "kubernetes";
    /** How long a finalizer may be expected to take. */
    private static final long FINALIZER_SECONDS = 15;

    private final Resources<Namespace> namespaces;
    private final Informer<Namespace> cache;
    private final Informer<Pod> pods;
    private final ApiTransport transport;
    private final RawObjects objects;
    private final ResourceCatalog catalog;
    private final Clock clock;

    private NamespaceReconciler(
            Client client, ApiTransport transport, Informers informers, Clock clock, ResourceCatalog catalog) {
        namespaces = client.resources(Namespace.class);
        cache = informers.of(Namespace.class);
        pods = informers.of(Pod.class);
        this.transport = transport;
        objects = new RawObjects(transport);
        this.catalog = catalog;
        this.clock = clock;
    }

    /** The controller, and a place to tell that something in a namespace, by its name, has gone. */
    public record Wired(Controller controller, Consumer<String> somethingGone) {}

    public static Wired wire(
            Client client, ApiTransport transport, Informers informers, Clock clock, ResourceCatalog catalog) {
        NamespaceReconciler reconciler = new NamespaceReconciler(client, transport, informers, clock, catalog);
        Controller.Builder builder =
                Controller.named("namespace-controller", informers, clock).watches(Namespace.class);
        Consumer<String> somethingGone = name -> reconciler.wake(name, builder.queue());
        informers.of(Pod.class).addHandler(new PodsGone(somethingGone));
        return new Wired(builder.reconciler(reconciler), somethingGone);
    }

    private void wake(String name, WorkQueue<NamespacedName> queue) {
        NamespacedName key = NamespacedName.cluster(name);
        boolean going = cache.get(key)
                .map(namespace -> namespace.getMetadata().getDeletionTimestamp() != null)
                .orElse(false);
        if (going && pods.list(name).isEmpty()) {
            queue.add(key);
        }
    }

    private record PodsGone(Consumer<String> somethingGone) implements Informer.Handler<Pod> {
        @Override
        public void added(Pod pod) {
            // Only an end brings a namespace nearer to its own.
        }

        @Override
        public void updated(Pod before, Pod after) {
            // Only an end brings a namespace nearer to its own.
        }

        @Override
        public void deleted(Pod last) {
            somethingGone.accept(last.getMetadata().getNamespace());
        }
    }

    @Override
    public Result reconcile(NamespacedName key) {
        boolean going = cache.get(key)
                .map(namespace -> namespace.getMetadata().getDeletionTimestamp() != null)
                .orElse(false);
        Namespace namespace = going ? namespaces.find("", key.name()).orElse(null) : null;
        if (namespace == null || namespace.getMetadata().getDeletionTimestamp() == null) {
            return Result.done();
        }
        try {
            return drain(namespace);
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Result.done();
            }
            throw e;
        }
    }

    private Result drain(Namespace found) {
        Namespace namespace = found;
        if (namespace.getStatus() == null
                || !"Terminating".equals(namespace.getStatus().getPhase())) {
            namespace = namespaces.updateStatus(new NamespaceBuilder(namespace)
                    .editOrNewStatus()
                    .withPhase("Terminating")
                    .endStatus()
                    .build());
        }
        if (namespace.getSpec() == null || namespace.getSpec().getFinalizers().isEmpty()) {
            return Result.done();
        }
        Drainage drainage = deleteContent(namespace);
        namespace = report(namespace, drainage);
        if (!drainage.failures().isEmpty() || drainage.discoveryFailure() != null) {
            throw new ApiException(
                    Reason.ServiceUnavailable,
                    "content remains in namespace " + namespace.getMetadata().getName() + ": "
                            + (drainage.discoveryFailure() == null
                                    ? String.join(", ", drainage.failures())
                                    : drainage.discoveryFailure()));
        }
        if (!drainage.isDone()) {
            return Result.after(Duration.ofSeconds(drainage.estimateSeconds() / 2 + 1));
        }
        finish(namespace);
        return Result.done();
    }

    /** Other content waits until the pods are gone: they may need it to end well. */
    private Drainage deleteContent(Namespace namespace) {
        Drainage drainage = new Drainage();
        List<ApiResource> resources;
        try {
            resources = resources(drainage);
        } catch (RuntimeException e) {
            drainage.discoveryFailed(e.getMessage());
            return drainage;
        }
        Map<Boolean, List<ApiResource>> podsAndOthers =
                resources.stream().collect(Collectors.partitioningBy(NamespaceReconciler::isPods));
        podsAndOthers.get(true).forEach(resource -> deleteAll(resource, namespace, drainage));
        if (drainage.isEmpty()) {
            podsAndOthers.get(false).forEach(resource -> deleteAll(resource, namespace, drainage));
        }
        return drainage;
    }

    /** What there may be in a namespace, here and on other servers; of one that is away nobody knows, and the namespace waits for it. */
    private List<ApiResource> resources(Drainage drainage) {
        ResourceCatalog.Elsewhere elsewhere = catalog.elsewhere();
        Map<GroupVersion, String> failures = elsewhere.failures();
        if (!failures.isEmpty()) {
            String each = failures.entrySet().stream()
                    .map(failure -> failure.getKey() + ": " + failure.getValue())
                    .sorted()
                    .collect(Collectors.joining(", "));
            drainage.discoveryFailed("Discovery failed for some groups, " + failures.size()
                    + " failing: unable to retrieve the complete list of server APIs: " + each);
        }
        return Stream.concat(catalog.resources().stream(), elsewhere.resources().stream())
                .filter(resource -> resource.namespaced() && resource.supports("delete", "list"))
                .toList();
    }

    private static boolean isPods(ApiResource resource) {
        return resource.resource().equals("pods")
                && resource.groupVersion().group().isEmpty();
    }

    private void deleteAll(ApiResource resource, Namespace namespace, Drainage drainage) {
        String name = namespace.getMetadata().getName();
        try {
            List<ObjectMetas.Meta> before = objects.list(resource, name).items();
            if (before.isEmpty()) {
                return;
            }
            long grace = isPods(resource) ? graceSeconds(namespace) : 0;
            delete(resource, name, before);
            List<ObjectMetas.Meta> left = objects.list(resource, name).items();
            if (left.isEmpty()) {
                return;
            }
            Map<String, Integer> finalizers = new TreeMap<>();
            left.forEach(object -> object.finalizers().forEach(held -> finalizers.merge(held, 1, Integer::sum)));
            drainage.remain(
                    resource.resource() + "." + resource.groupVersion().group(),
                    left.size(),
                    finalizers,
                    grace > 0 ? grace : FINALIZER_SECONDS);
            if (grace == 0 && finalizers.isEmpty()) {
                drainage.failed("unexpected items still remain in namespace: " + name + " for gvr: "
                        + resource.groupVersion() + ", Resource=" + resource.resource());
            }
        } catch (ApiException e) {
            if (!isNotServed(e)) {
                drainage.failed(e.getMessage());
            }
        } catch (UncheckedIOException nonsense) { // another server's answer need not be one
            drainage.failed(resource.groupResource() + ": " + nonsense.getMessage());
        }
    }

    private void delete(ApiResource resource, String namespace, List<ObjectMetas.Meta> items) {
        ObjectNode options = Json.object()
                .put("kind", "DeleteOptions")
                .put("apiVersion", "v1")
                .put("propagationPolicy", "Background");
        if (resource.supports("deletecollection") && areDeletedTogether(resource, namespace, options)) {
            return;
        }
        for (ObjectMetas.Meta item : items) {
            try {
                objects.delete(resource, namespace, item.name(), options);
            } catch (ApiException e) {
                if (!isNotServed(e)) {
                    throw e;
                }
            }
        }
    }

    /** Another server may not do what it says it does; then every object is deleted by its name, so that none stays behind unseen. */
    private boolean areDeletedTogether(ApiResource resource, String namespace, ObjectNode options) {
        try {
            objects.deleteAll(resource, namespace, options);
            return true;
        } catch (ApiException e) {
            if (isNotServed(e)) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isNotServed(ApiException e) {
        return e.is(Reason.NotFound) || e.is(Reason.MethodNotAllowed);
    }

    /** The longest time that a pod may take to end; 0 once that time is over since the namespace was deleted. */
    private long graceSeconds(Namespace namespace) {
        long longest = 0;
        for (Pod pod : pods.list(namespace.getMetadata().getName())) {
            Long grace = pod.getSpec().getTerminationGracePeriodSeconds();
            if (!Pods.isTerminal(pod) && grace != null) {
                longest = Math.max(longest, grace);
            }
        }
        Duration since =
                Duration.between(Timestamps.parse(namespace.getMetadata().getDeletionTimestamp()), clock.now());
        return since.toSeconds() >= longest ? 0 : longest;
    }

    private Namespace report(Namespace namespace, Drainage drainage) {
        List<NamespaceCondition> before = namespace.getStatus().getConditions();
        List<NamespaceCondition> after = NamespaceConditions.after(before, drainage, clock.now());
        if (after.equals(before)) {
            return namespace;
        }
        return namespaces.updateStatus(new NamespaceBuilder(namespace)
                .editStatus()
                .withConditions(after)
                .endStatus()
                .build());
    }

    private void finish(Namespace namespace) {
        List<String> finalizers = namespace.getSpec().getFinalizers().stream()
                .filter(finalizer -> !finalizer.equals(FINALIZER))
                .toList();
        Namespace finalized = new NamespaceBuilder(namespace)
                .editSpec()
                .withFinalizers(finalizers)
                .endSpec()
                .build();
        transport.send(new ApiTransport.Request(
                ApiTransport.Verb.UPDATE,
                new GroupVersion("", "v1"),
                "namespaces",
                "",
                namespace.getMetadata().getName(),
                "finalize",
                Map.of(),
                "application/json",
                Models.encode(finalized)));
    }
}
