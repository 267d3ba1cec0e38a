package io.argosy.controllers.quota;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.quantity.Amount;
import io.argosy.api.quota.Quota;
import io.argosy.api.quota.Usage;
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
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.pod.Pods;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
import io.fabric8.kubernetes.api.model.Service;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Counts anew what a namespace uses of its quotas. The server charges them as objects come; this loop gives back what goes, and sets
 * right what was charged for objects that never came to be.
 */
public final class QuotaReconciler implements Reconciler {
    /** Many objects come and go at once; one look at all of them is enough. */
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** What was charged for objects that never came to be is given back no later. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);

    private final ApiTransport transport;
    private final ResourceCatalog catalog;
    private final Resources<ResourceQuota> resources;
    private final Informer<ResourceQuota> quotas;

    private final Clock clock;

    private QuotaReconciler(
            Client client, ApiTransport transport, ResourceCatalog catalog, Informers informers, Clock clock) {
        this.clock = clock;
        this.transport = transport;
        this.catalog = catalog;
        resources = client.resources(ResourceQuota.class);
        quotas = informers.of(ResourceQuota.class);
    }

    /**
     * The loop, and what must be told of it.
     *
     * @param somethingGone hears the namespace of every object that is gone, of whatever kind
     */
    public record Wired(Controller controller, Consumer<String> somethingGone) {}

    public static Wired wire(
            Client client, ApiTransport transport, ResourceCatalog catalog, Informers informers, Clock clock) {
        QuotaReconciler reconciler = new QuotaReconciler(client, transport, catalog, informers, clock);
        Controller.Builder builder = Controller.named("resourcequota-controller", informers, clock);
        reconciler.quotas.addHandler(limits(builder.queue()));
        Consumer<String> recount = namespace -> reconciler.recount(namespace, builder.queue());
        informers
                .of(Pod.class)
                .addHandler(watching(
                        recount,
                        (before, after) -> Pods.isTerminal(before) != Pods.isTerminal(after)
                                || !Objects.equals(
                                        before.getMetadata().getGeneration(),
                                        after.getMetadata().getGeneration())
                                || isGivenOtherwise(before, after)));
        informers
                .of(Service.class)
                .addHandler(
                        watching(recount, (before, after) -> !before.getSpec().equals(after.getSpec())));
        informers
                .of(PersistentVolumeClaim.class)
                .addHandler(watching(
                        recount,
                        (before, after) -> !before.getSpec().equals(after.getSpec())
                                || !Objects.equals(before.getStatus(), after.getStatus())));
        return new Wired(builder.reconciler(reconciler), recount);
    }

    /** Whether the node has given the containers something else than before; a resize is done when it has. */
    private static boolean isGivenOtherwise(Pod before, Pod after) {
        return before.getStatus() != null
                && after.getStatus() != null
                && (differs(
                                before.getStatus().getContainerStatuses(),
                                after.getStatus().getContainerStatuses())
                        || differs(
                                before.getStatus().getInitContainerStatuses(),
                                after.getStatus().getInitContainerStatuses()));
    }

    private static boolean differs(List<ContainerStatus> before, List<ContainerStatus> after) {
        for (ContainerStatus was : before) {
            for (ContainerStatus is : after) {
                if (was.getName().equals(is.getName()) && !Objects.equals(was.getResources(), is.getResources())) {
                    return true;
                }
            }
        }
        return false;
    }

    private void recount(String namespace, WorkQueue<NamespacedName> queue) {
        for (ResourceQuota quota : quotas.list(namespace)) {
            queue.addAfter(NamespacedName.of(namespace, quota.getMetadata().getName()), PAUSE);
        }
    }

    /** A quota is counted when it comes and when it wants other things; not when the server has charged it for an object that is still on its way. */
    private static Informer.Handler<ResourceQuota> limits(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(ResourceQuota quota) {
                queue.add(NamespacedName.of(
                        quota.getMetadata().getNamespace(), quota.getMetadata().getName()));
            }

            @Override
            public void updated(ResourceQuota before, ResourceQuota after) {
                if (!before.getSpec().equals(after.getSpec())) {
                    added(after);
                }
            }

            @Override
            public void deleted(ResourceQuota last) {}
        };
    }

    /** What comes is charged as it comes, what goes is heard of elsewhere; what changes may take up more or less. */
    private static <T extends HasMetadata> Informer.Handler<T> watching(
            Consumer<String> recount, BiPredicate<T, T> matters) {
        return new Informer.Handler<>() {
            @Override
            public void added(T object) {}

            @Override
            public void updated(T before, T after) {
                if (matters.test(before, after)) {
                    recount.accept(after.getMetadata().getNamespace());
                }
            }

            @Override
            public void deleted(T last) {}
        };
    }

    @Override
    public Result reconcile(NamespacedName key) {
        ResourceQuota quota = quotas.get(key).orElse(null);
        if (quota == null || quota.getMetadata().getDeletionTimestamp() != null) {
            return Result.done();
        }
        JsonNode tree = Models.toTree(quota);
        Map<String, Amount> hard = Quota.amounts(tree.at("/spec/hard"));
        Map<String, Amount> before = Quota.amounts(tree.at("/status/used"));
        Count count = count(tree.path("spec"), hard, before, key.namespace());
        boolean same = hard.equals(Quota.amounts(tree.at("/status/hard"))) && sameAmounts(count.used, before);
        if (!same) {
            write(quota, hard, count.used);
        }
        if (count.failure.isPresent()) {
            throw count.failure.get();
        }
        return Result.after(LOOK_AGAIN);
    }

    /**
     * What is used.
     *
     * @param failure why something could not be counted; of that, what was known before is kept
     */
    private record Count(Map<String, Amount> used, Optional<RuntimeException> failure) {}

    private Count count(JsonNode spec, Map<String, Amount> hard, Map<String, Amount> before, String namespace) {
        Map<String, Amount> used = new TreeMap<>(before);
        used.keySet().retainAll(hard.keySet());
        RuntimeException failure = null;
        for (Map.Entry<GroupResource, List<String>> limited : hard.keySet().stream()
                .collect(Collectors.groupingBy(Usage::source))
                .entrySet()) {
            try {
                used.putAll(count(spec, limited.getKey(), limited.getValue(), namespace));
            } catch (RuntimeException e) {
                failure = e; // one kind whose server is away does not keep the others from being given back
            }
        }
        return new Count(used, Optional.ofNullable(failure));
    }

    private Map<String, Amount> count(JsonNode spec, GroupResource source, List<String> limited, String namespace) {
        Map<String, Amount> used = new HashMap<>();
        limited.forEach(name -> used.put(name, Amount.ZERO));
        for (JsonNode item : list(source, namespace)) {
            if (Quota.covers(spec, source, item)) {
                Map<String, Amount> more = Usage.of(source, item, clock.now());
                used.replaceAll((name, sum) -> sum.plus(more.getOrDefault(name, Amount.ZERO)));
            }
        }
        return used;
    }

    /** The namespace's objects of a kind; none of one that is not served. */
    private JsonNode list(GroupResource resource, String namespace) {
        Optional<ResourceCatalog.ApiResource> found = catalog.resources().stream()
                .filter(candidate -> candidate.groupResource().equals(resource) && candidate.namespaced())
                .findFirst();
        if (found.isEmpty()) {
            return Json.NODES.arrayNode();
        }
        ApiTransport.Response response = transport.send(new ApiTransport.Request(
                ApiTransport.Verb.LIST,
                found.get().groupVersion(),
                resource.resource(),
                namespace,
                "",
                "",
                Map.of(),
                "",
                new byte[0]));
        return Json.decodeObject(response.body()).path("items");
    }

    private static boolean sameAmounts(Map<String, Amount> a, Map<String, Amount> b) {
        return a.keySet().equals(b.keySet())
                && a.entrySet().stream().allMatch(entry -> entry.getValue().compareTo(b.get(entry.getKey())) == 0);
    }

    private void write(ResourceQuota quota, Map<String, Amount> hard, Map<String, Amount> used) {
        ResourceQuota copy = new ResourceQuota();
        copy.setMetadata(quota.getMetadata());
        copy.setSpec(quota.getSpec());
        copy.setStatus(new ResourceQuotaStatus(quantities(hard), quantities(used)));
        try {
            resources.updateStatus(copy);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }

    private static Map<String, Quantity> quantities(Map<String, Amount> amounts) {
        Map<String, Quantity> quantities = new TreeMap<>();
        amounts.forEach((name, amount) -> quantities.put(name, Quantity.parse(amount.toString())));
        return quantities;
    }
}
