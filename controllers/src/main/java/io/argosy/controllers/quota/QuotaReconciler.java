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
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Counts anew what a namespace uses of its quotas. The server charges them as objects come; this loop gives back what goes, and sets
 * right what was charged for objects that never came to be.
 */
public final class QuotaReconciler implements Reconciler {
    /** Many objects come and go at once; one look at all of them is enough. */
    private static final Duration PAUSE = Duration.ofMillis(500);
    /** Of kinds that nobody here watches, news comes no sooner. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);

    private final ApiTransport transport;
    private final ResourceCatalog catalog;
    private final Resources<ResourceQuota> resources;
    private final Informer<ResourceQuota> quotas;

    private QuotaReconciler(Client client, ApiTransport transport, ResourceCatalog catalog, Informers informers) {
        this.transport = transport;
        this.catalog = catalog;
        resources = client.resources(ResourceQuota.class);
        quotas = informers.of(ResourceQuota.class);
    }

    public static Controller controller(
            Client client, ApiTransport transport, ResourceCatalog catalog, Informers informers, Clock clock) {
        QuotaReconciler reconciler = new QuotaReconciler(client, transport, catalog, informers);
        Controller.Builder builder =
                Controller.named("resourcequota-controller", informers, clock).watches(ResourceQuota.class);
        WorkQueue<NamespacedName> queue = builder.queue();
        informers
                .of(Pod.class)
                .addHandler(reconciler.watching(
                        queue,
                        (before, after) -> Pods.isTerminal(before) != Pods.isTerminal(after)
                                || !Objects.equals(
                                        before.getMetadata().getGeneration(),
                                        after.getMetadata().getGeneration())));
        informers
                .of(Service.class)
                .addHandler(reconciler.watching(
                        queue, (before, after) -> !before.getSpec().equals(after.getSpec())));
        informers
                .of(PersistentVolumeClaim.class)
                .addHandler(reconciler.watching(
                        queue, (before, after) -> !before.getSpec().equals(after.getSpec())));
        for (Class<? extends HasMetadata> type : List.of(
                ReplicationController.class,
                Deployment.class,
                ReplicaSet.class,
                StatefulSet.class,
                DaemonSet.class,
                Job.class,
                CronJob.class)) {
            informers.of(type).addHandler(reconciler.watching(queue, (before, after) -> false));
        }
        return builder.reconciler(reconciler);
    }

    private <T extends HasMetadata> Informer.Handler<T> watching(
            WorkQueue<NamespacedName> queue, BiPredicate<T, T> matters) {
        return new Informer.Handler<>() {
            @Override
            public void added(T object) {
                for (ResourceQuota quota : quotas.list(object.getMetadata().getNamespace())) {
                    queue.addAfter(
                            NamespacedName.of(
                                    quota.getMetadata().getNamespace(),
                                    quota.getMetadata().getName()),
                            PAUSE);
                }
            }

            @Override
            public void updated(T before, T after) {
                if (matters.test(before, after)) {
                    added(after);
                }
            }

            @Override
            public void deleted(T last) {
                added(last);
            }
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
        Map<String, Amount> used = count(tree.path("spec"), hard, key.namespace());
        boolean same = hard.equals(Quota.amounts(tree.at("/status/hard")))
                && sameAmounts(used, Quota.amounts(tree.at("/status/used")));
        if (!same) {
            write(quota, hard, used);
        }
        return Result.after(LOOK_AGAIN);
    }

    private Map<String, Amount> count(JsonNode spec, Map<String, Amount> hard, String namespace) {
        Map<String, Amount> used = new TreeMap<>();
        Map<GroupResource, JsonNode> lists = new HashMap<>();
        for (String limited : hard.keySet()) {
            GroupResource source = Usage.source(limited);
            JsonNode items = lists.computeIfAbsent(source, resource -> list(resource, namespace));
            Amount sum = Amount.ZERO;
            for (JsonNode item : items) {
                if (Quota.covers(spec, source, item)) {
                    sum = sum.plus(Usage.of(source, item).getOrDefault(limited, Amount.ZERO));
                }
            }
            used.put(limited, sum);
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
