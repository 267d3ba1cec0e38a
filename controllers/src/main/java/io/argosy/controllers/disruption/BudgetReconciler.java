package io.argosy.controllers.disruption;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.LabelSelectors;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.meta.WrittenSelectors;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps in the status of every disruption budget how many of its pods may go, which is what evictions ask. */
public final class BudgetReconciler implements Reconciler {
    private final Resources<PodDisruptionBudget> resources;
    private final Informer<PodDisruptionBudget> budgets;
    private final Informer<Pod> pods;
    private final OwnersScale scale;
    private final Clock clock;
    private final EventRecorder events;
    /** The uids of pods of which it was told that other budgets cover them too, by the budget that told. */
    private final Map<NamespacedName, Set<String>> contested = new ConcurrentHashMap<>();

    private BudgetReconciler(Client client, OwnersScale scale, Informers informers, Clock clock, EventRecorder events) {
        resources = client.resources(PodDisruptionBudget.class);
        budgets = informers.of(PodDisruptionBudget.class);
        pods = informers.of(Pod.class);
        this.scale = scale;
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(
            Client client,
            ApiTransport transport,
            ResourceCatalog catalog,
            Informers informers,
            Clock clock,
            EventRecorder events) {
        OwnersScale scale = new OwnersScale(transport, catalog, informers);
        BudgetReconciler reconciler = new BudgetReconciler(client, scale, informers, clock, events);
        return Controller.named("disruption-controller", informers, clock)
                .watches(PodDisruptionBudget.class)
                .maps(Pod.class, reconciler::covering)
                .reconciler(reconciler);
    }

    private Collection<NamespacedName> covering(Pod pod) {
        String namespace = pod.getMetadata().getNamespace();
        return budgets.list(namespace).stream()
                .filter(budget -> covers(budget, pod))
                .map(budget -> NamespacedName.of(namespace, budget.getMetadata().getName()))
                .toList();
    }

    private static boolean covers(PodDisruptionBudget budget, Pod pod) {
        return LabelSelectors.matches(
                budget.getSpec().getSelector(), pod.getMetadata().getLabels());
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PodDisruptionBudget budget = budgets.get(key).orElse(null);
        if (budget == null) {
            contested.remove(key);
            return Result.done();
        }
        List<Pod> covered = pods.list(key.namespace()).stream()
                .filter(pod -> covers(budget, pod))
                .toList();
        if (covered.isEmpty()) {
            events.event(budget, EventRecorder.Type.Normal, "NoPods", "No matching pods found");
        }
        tellOfRivals(key, covered);
        BudgetDecision decision;
        try {
            decision = BudgetDecision.decide(budget, covered, expectation(budget, covered), clock.now());
        } catch (OwnersScale.UnknownScale | ApiException e) {
            events.event(
                    budget,
                    EventRecorder.Type.Warning,
                    "CalculateExpectedPodCountFailed",
                    "Failed to calculate the number of expected pods: " + e.getMessage());
            write(budget, BudgetDecision.failed(budget, e.getMessage(), clock.now()));
            if (e instanceof ApiException refusal) {
                throw refusal; // the API may answer next time; until then the old count must not let anything go
            }
            return Result.done();
        }
        for (Pod pod : decision.overdue()) {
            events.event(
                    pod,
                    EventRecorder.Type.Warning,
                    "NotDeleted",
                    "Pod was expected by PDB " + key.namespace() + "/" + key.name() + " to be deleted but it wasn't");
        }
        write(budget, decision.status());
        return decision.recheck().map(Result::after).orElse(Result.done());
    }

    /** A pod of two budgets cannot be evicted at all; each of them says so once. */
    private void tellOfRivals(NamespacedName key, List<Pod> covered) {
        if (budgets.list(key.namespace()).size() < 2) {
            contested.remove(key);
            return;
        }
        Set<String> found = new HashSet<>();
        Set<String> told = contested.getOrDefault(key, Set.of());
        for (Pod pod : covered) {
            List<String> names =
                    covering(pod).stream().map(NamespacedName::name).sorted().toList();
            if (names.size() > 1) {
                String uid = pod.getMetadata().getUid();
                found.add(uid);
                if (!told.contains(uid)) {
                    events.event(
                            pod,
                            EventRecorder.Type.Warning,
                            "MultiplePodDisruptionBudgets",
                            "Pod \"" + key.namespace() + "\"/\""
                                    + pod.getMetadata().getName()
                                    + "\" matches multiple PodDisruptionBudgets.  Chose \"" + names.getFirst()
                                    + "\" arbitrarily.");
                }
            }
        }
        contested.put(key, found);
    }

    private BudgetDecision.Expectation expectation(PodDisruptionBudget budget, List<Pod> covered) {
        if (!BudgetDecision.needsScale(budget.getSpec())) {
            return BudgetDecision.expect(budget.getSpec(), covered.size());
        }
        OwnersScale.Sum sum = scale.of(covered);
        if (!sum.unmanaged().isEmpty()) {
            events.event(
                    budget,
                    EventRecorder.Type.Warning,
                    "UnmanagedPods",
                    "Pods selected by this PodDisruptionBudget (selector: "
                            + WrittenSelectors.told(budget.getSpec().getSelector())
                            + ") were found to be unmanaged. As a result, the status of the PDB cannot be calculated"
                            + " correctly, which may result in undefined behavior. To account for these pods please"
                            + " set \".spec.minAvailable\" field of the PDB to an integer value.");
        }
        return BudgetDecision.expect(budget.getSpec(), sum.replicas());
    }

    /** An eviction may have spent the budget meanwhile: then the write is refused, and the loop counts again. */
    private void write(PodDisruptionBudget budget, PodDisruptionBudgetStatus status) {
        if (status.equals(budget.getStatus())) {
            return;
        }
        PodDisruptionBudget copy = new PodDisruptionBudget();
        copy.setMetadata(budget.getMetadata());
        copy.setSpec(budget.getSpec());
        copy.setStatus(status);
        try {
            resources.updateStatus(copy);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }
}
