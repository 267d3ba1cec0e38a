package io.argosy.controllers.serviceaccount;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Refusals;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import java.util.List;

/** Sees that every namespace has the service account under which pods run that name none. */
public final class DefaultServiceAccounts implements Reconciler {
    private static final String DEFAULT = "default";

    private final Resources<ServiceAccount> resources;
    private final Informer<Namespace> namespaces;
    private final Informer<ServiceAccount> accounts;

    private DefaultServiceAccounts(Client client, Informers informers) {
        resources = client.resources(ServiceAccount.class);
        namespaces = informers.of(Namespace.class);
        accounts = informers.of(ServiceAccount.class);
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        return Controller.named("serviceaccount-controller", informers, clock)
                .watches(Namespace.class)
                .maps(
                        ServiceAccount.class,
                        account -> account.getMetadata().getName().equals(DEFAULT)
                                ? List.of(NamespacedName.cluster(
                                        account.getMetadata().getNamespace()))
                                : List.of())
                .workers(1)
                .reconciler(new DefaultServiceAccounts(client, informers));
    }

    @Override
    public Result reconcile(NamespacedName key) {
        Namespace namespace = namespaces.get(key).orElse(null);
        if (namespace == null
                || namespace.getMetadata().getDeletionTimestamp() != null
                || accounts.get(NamespacedName.of(key.name(), DEFAULT)).isPresent()) {
            return Result.done();
        }
        try {
            resources.create(new ServiceAccountBuilder()
                    .withNewMetadata()
                    .withNamespace(key.name())
                    .withName(DEFAULT)
                    .endMetadata()
                    .build());
        } catch (ApiException e) {
            if (!e.is(Reason.AlreadyExists) && !Refusals.isNamespaceTerminating(e)) {
                throw e;
            }
        }
        return Result.done();
    }
}
