package io.argosy.controllers.servicerange;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.net.Ip;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.meta.Timestamps;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddress;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Says of a range that Services may have addresses of it, and lets a deleted one go when no address needs it any more. */
public final class RangeReconciler implements Reconciler {
    private static final String NAME = "service-cidrs-controller";
    private static final String FINALIZER = "networking.k8s.io/service-cidr-finalizer";

    /** Until every server has seen that a range is going, and gives no more of it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Resources<ServiceCIDR> resources;
    private final Informer<ServiceCIDR> ranges;
    private final Informer<IPAddress> addresses;
    private final Clock clock;

    private RangeReconciler(Client client, Informers informers, Clock clock) {
        resources = client.resources(ServiceCIDR.class);
        ranges = informers.of(ServiceCIDR.class);
        addresses = informers.of(IPAddress.class);
        this.clock = clock;
    }

    public static Controller controller(Client client, Informers informers, Clock clock) {
        RangeReconciler reconciler = new RangeReconciler(client, informers, clock);
        return Controller.named(NAME, informers, clock)
                .maps(ServiceCIDR.class, reconciler::touching)
                .maps(IPAddress.class, reconciler::holding)
                .reconciler(reconciler);
    }

    /** One that comes or goes may be what another waits for. */
    private Collection<NamespacedName> touching(ServiceCIDR changed) {
        return ranges.list().stream()
                .filter(other -> Ranges.of(other).stream()
                        .anyMatch(cidr -> Ranges.of(changed).stream().anyMatch(cidr::overlaps)))
                .map(RangeReconciler::nameOf)
                .toList();
    }

    /** Only those that wait to go ask whose addresses they hold. */
    private Collection<NamespacedName> holding(IPAddress changed) {
        Ip address = Ip.parse(changed.getMetadata().getName());
        return ranges.list().stream()
                .filter(range -> isGoing(range) && Ranges.hold(range, address))
                .map(RangeReconciler::nameOf)
                .toList();
    }

    private static NamespacedName nameOf(ServiceCIDR range) {
        return NamespacedName.of("", range.getMetadata().getName());
    }

    private static boolean isGoing(ServiceCIDR range) {
        return range.getMetadata().getDeletionTimestamp() != null;
    }

    private static boolean isHeld(ServiceCIDR range) {
        List<String> finalizers = range.getMetadata().getFinalizers();
        return finalizers != null && finalizers.contains(FINALIZER);
    }

    @Override
    public Result reconcile(NamespacedName key) {
        ServiceCIDR range = ranges.get(key).orElse(null);
        if (range == null) {
            return Result.done();
        }
        if (isGoing(range)) {
            return isHeld(range) ? letGo(range) : Result.done();
        }
        if (!isHeld(range)) {
            range = resources.update(new ServiceCIDRBuilder(range)
                    .editMetadata()
                    .addToFinalizers(FINALIZER)
                    .endMetadata()
                    .build());
        }
        say(range, "True", "", "Kubernetes Service CIDR is ready");
        return Result.done();
    }

    private Result letGo(ServiceCIDR range) {
        if (!Ranges.canGo(range, ranges.list(), addresses.list())) {
            say(
                    range,
                    "False",
                    "Terminating",
                    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR");
            return Result.done();
        }
        Duration left = GRACE.minus(
                Duration.between(Timestamps.parse(range.getMetadata().getDeletionTimestamp()), clock.now()));
        if (left.isPositive()) {
            return Result.after(left);
        }
        resources.update(new ServiceCIDRBuilder(range)
                .editMetadata()
                .removeFromFinalizers(FINALIZER)
                .endMetadata()
                .build());
        return Result.done();
    }

    private void say(ServiceCIDR range, String status, String reason, String message) {
        List<Condition> said =
                range.getStatus() == null ? List.of() : range.getStatus().getConditions();
        boolean isSaid = said.stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals(status)
                        && condition.getMessage().equals(message));
        if (isSaid) {
            return;
        }
        ObjectNode patch = Json.object();
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", status)
                .put("reason", reason)
                .put("message", message)
                .put("lastTransitionTime", Timestamps.format(clock.now()));
        resources.patchStatusOnly("", range.getMetadata().getName(), PatchType.STRATEGIC, patch);
    }
}
