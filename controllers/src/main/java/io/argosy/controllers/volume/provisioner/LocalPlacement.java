package io.argosy.controllers.volume.provisioner;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.node.Nodes;
import io.argosy.controllers.volume.ClaimUsers;
import io.argosy.controllers.volume.Claims;
import io.argosy.controllers.volume.StorageClasses;
import io.argosy.controllers.volume.StorageNames;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Says on which node's disk a claim's volume is to be made where no scheduler says it: for classes that bind at once, and for pods
 * that came to their node without the scheduler. Takes the word back when the node is gone before the volume was made.
 */
public final class LocalPlacement implements Reconciler {
    private static final String OPEN = "open-local";

    private final Resources<PersistentVolumeClaim> claimResources;
    private final Informer<PersistentVolumeClaim> claims;
    private final Informer<Node> nodes;
    private final StorageClasses classes;
    private final ClaimUsers users;

    private LocalPlacement(Client client, Informers informers, ClaimUsers users) {
        claimResources = client.resources(PersistentVolumeClaim.class);
        claims = informers.of(PersistentVolumeClaim.class);
        nodes = informers.of(Node.class);
        classes = new StorageClasses(informers);
        this.users = users;
        claims.addIndex(OPEN, claim -> isOpen(claim) ? List.of(OPEN) : List.of());
    }

    public static Controller controller(Client client, Informers informers, Clock clock, ClaimUsers users) {
        LocalPlacement placement = new LocalPlacement(client, informers, users);
        Controller.Builder builder = Controller.named("local-volume-placement-controller", informers, clock)
                .watches(PersistentVolumeClaim.class)
                .maps(Pod.class, ClaimUsers::claimsOf)
                .maps(StorageClass.class, any -> placement.open())
                .workers(1);
        placement.nodes.addHandler(placement.wakeClaims(builder.queue()));
        return builder.reconciler(placement);
    }

    /** Heartbeats change nothing; a node that comes, goes, opens or closes may. */
    private Informer.Handler<Node> wakeClaims(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                open().forEach(queue::add);
            }

            @Override
            public void updated(Node before, Node after) {
                if (isUsable(before) != isUsable(after)
                        || !Objects.equals(
                                before.getMetadata().getLabels(),
                                after.getMetadata().getLabels())) {
                    open().forEach(queue::add);
                }
            }

            @Override
            public void deleted(Node last) {
                open().forEach(queue::add);
            }
        };
    }

    private List<NamespacedName> open() {
        return claims.byIndex(OPEN, OPEN).stream().map(Claims::nameOf).toList();
    }

    private static boolean isOpen(PersistentVolumeClaim claim) {
        return Claims.text(claim.getSpec().getVolumeName()).isEmpty() && !Claims.isDeleting(claim);
    }

    @Override
    public Result reconcile(NamespacedName key) {
        PersistentVolumeClaim claim =
                claims.get(key).filter(LocalPlacement::isOpen).orElse(null);
        if (claim == null) {
            return Result.done();
        }
        StorageClass by = classes.find(Claims.className(claim)).orElse(null);
        if (by == null || !by.getProvisioner().equals(StorageNames.LOCAL_PROVISIONER)) {
            return Result.done();
        }
        String chosen = Claims.text(Claims.annotation(claim, StorageNames.SELECTED_NODE));
        if (chosen.isEmpty()) {
            choose(claim, by).ifPresent(node -> write(claim, node));
        } else if (nodes.get(NamespacedName.cluster(chosen)).isEmpty()) {
            write(claim, null);
        }
        return Result.done();
    }

    private Optional<String> choose(PersistentVolumeClaim claim, StorageClass by) {
        if (StorageClasses.waitsForConsumer(by)) {
            return users.of(claim).stream()
                    .map(pod -> Claims.text(pod.getSpec().getNodeName()))
                    .filter(node -> nodes.get(NamespacedName.cluster(node)).isPresent())
                    .sorted()
                    .findFirst();
        }
        Map<String, Long> taken = claims.list().stream()
                .map(other -> Claims.text(Claims.annotation(other, StorageNames.SELECTED_NODE)))
                .collect(Collectors.groupingBy(node -> node, Collectors.counting()));
        return nodes.list().stream()
                .filter(node -> isUsable(node) && isAllowed(by, node))
                .map(node -> node.getMetadata().getName())
                .min(Comparator.comparing((String node) -> taken.getOrDefault(node, 0L))
                        .thenComparing(Comparator.naturalOrder()));
    }

    private static boolean isUsable(Node node) {
        boolean closed = node.getSpec() != null
                && (Boolean.TRUE.equals(node.getSpec().getUnschedulable())
                        || node.getSpec().getTaints().stream()
                                .anyMatch(taint -> !"PreferNoSchedule".equals(taint.getEffect())));
        return !closed && !Claims.isDeleting(node) && Nodes.isReady(node);
    }

    /** The class may say where its volumes may be: any of its terms, with all that the term says. */
    private static boolean isAllowed(StorageClass by, Node node) {
        Map<String, String> labels = node.getMetadata().getLabels();
        return by.getAllowedTopologies() == null
                || by.getAllowedTopologies().isEmpty()
                || by.getAllowedTopologies().stream()
                        .anyMatch(term -> term.getMatchLabelExpressions().stream()
                                .allMatch(wanted ->
                                        labels != null && wanted.getValues().contains(labels.get(wanted.getKey()))));
    }

    private void write(PersistentVolumeClaim claim, String node) {
        PersistentVolumeClaimBuilder changed = new PersistentVolumeClaimBuilder(claim);
        if (node == null) {
            changed.editMetadata()
                    .removeFromAnnotations(StorageNames.SELECTED_NODE)
                    .endMetadata();
        } else {
            changed.editMetadata()
                    .addToAnnotations(StorageNames.SELECTED_NODE, node)
                    .endMetadata();
        }
        claimResources.update(changed.build());
    }
}
