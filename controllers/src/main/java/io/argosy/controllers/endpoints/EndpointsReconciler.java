package io.argosy.controllers.endpoints;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.argosy.controllers.service.ServicePods;
import io.fabric8.kubernetes.api.model.EndpointSubset;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the Endpoints object of every service that selects pods. */
public final class EndpointsReconciler implements Reconciler {
    private static final String MANAGED_BY = "endpoints.kubernetes.io/managed-by";
    private static final String NAME = "endpoint-controller";
    private static final String HEADLESS = "service.kubernetes.io/headless";
    private static final String OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

    private final Resources<Endpoints> resources;
    private final Informer<Service> services;
    private final Informer<Endpoints> endpoints;
    private final ServicePods pods;
    private final EventRecorder events;

    private EndpointsReconciler(Client client, Informers informers, EventRecorder events) {
        resources = client.resources(Endpoints.class);
        services = informers.of(Service.class);
        endpoints = informers.of(Endpoints.class);
        pods = new ServicePods(services, informers.of(Pod.class));
        this.events = events;
    }

    public static Controller controller(Client client, Informers informers, Clock clock, EventRecorder events) {
        EndpointsReconciler reconciler = new EndpointsReconciler(client, informers, events);
        Controller.Builder builder = Controller.named(NAME, informers, clock)
                .watches(Service.class)
                .maps(Endpoints.class, EndpointsReconciler::ours);
        informers.of(Pod.class).addHandler(reconciler.pods.wake(builder.queue()));
        return builder.reconciler(reconciler);
    }

    /** Endpoints that a user made, with no service or before it, are the user's. */
    private static List<NamespacedName> ours(Endpoints endpoints) {
        Map<String, String> labels = endpoints.getMetadata().getLabels();
        return labels != null && NAME.equals(labels.get(MANAGED_BY))
                ? List.of(NamespacedName.of(
                        endpoints.getMetadata().getNamespace(),
                        endpoints.getMetadata().getName()))
                : List.of();
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Service service = services.get(key).orElse(null);
        if (service == null) {
            delete(key);
        } else if (ServicePods.isManaged(service) && service.getMetadata().getDeletionTimestamp() == null) {
            write(service, EndpointSubsets.of(service, pods.of(service)));
        }
        return Result.done();
    }

    private void delete(NamespacedName key) {
        if (endpoints.get(key).isEmpty()) {
            return;
        }
        try {
            resources.delete(key.namespace(), key.name(), DeleteOptions.DEFAULT);
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
        }
    }

    private void write(Service service, List<EndpointSubset> all) {
        boolean over = EndpointSubsets.size(all) > EndpointSubsets.CAPACITY;
        List<EndpointSubset> subsets = over ? EndpointSubsets.truncate(all) : all;
        NamespacedName key = NamespacedName.of(
                service.getMetadata().getNamespace(), service.getMetadata().getName());
        Endpoints before = endpoints.get(key).orElse(null);
        Map<String, String> labels = labels(service);
        Map<String, String> annotations = new HashMap<>();
        if (before != null && before.getMetadata().getAnnotations() != null) {
            annotations.putAll(before.getMetadata().getAnnotations());
            annotations.remove(TRIGGER_TIME);
        }
        if (over) {
            annotations.put(OVER_CAPACITY, "truncated");
        } else {
            annotations.remove(OVER_CAPACITY);
        }
        if (before == null) {
            create(new EndpointsBuilder()
                    .withNewMetadata()
                    .withNamespace(key.namespace())
                    .withName(key.name())
                    .withLabels(labels)
                    .withAnnotations(annotations)
                    .endMetadata()
                    .withSubsets(subsets)
                    .build());
            return;
        }
        Endpoints after = new EndpointsBuilder(before)
                .editMetadata()
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .withSubsets(subsets)
                .build();
        if (!after.equals(before)) {
            update(after);
        }
    }

    private static Map<String, String> labels(Service service) {
        Map<String, String> labels = new HashMap<>();
        if (service.getMetadata().getLabels() != null) {
            labels.putAll(service.getMetadata().getLabels());
        }
        labels.remove(HEADLESS);
        if (ServicePods.isHeadless(service)) {
            labels.put(HEADLESS, "");
        }
        labels.put(MANAGED_BY, NAME);
        return labels;
    }

    private void create(Endpoints created) {
        try {
            resources.create(created);
        } catch (ApiException e) {
            if (!Refusals.isNamespaceTerminating(e)) {
                events.event(
                        created,
                        EventRecorder.Type.Warning,
                        "FailedToCreateEndpoint",
                        "Failed to create endpoint for service " + name(created) + ": " + e.getMessage());
                throw e;
            }
        }
    }

    private void update(Endpoints updated) {
        try {
            resources.update(updated);
        } catch (ApiException e) {
            if (!e.is(Reason.Conflict)) {
                events.event(
                        updated,
                        EventRecorder.Type.Warning,
                        "FailedToUpdateEndpoint",
                        "Failed to update endpoint " + name(updated) + ": " + e.getMessage());
            }
            throw e;
        }
    }

    private static String name(Endpoints endpoints) {
        return endpoints.getMetadata().getNamespace() + "/"
                + endpoints.getMetadata().getName();
    }
}
