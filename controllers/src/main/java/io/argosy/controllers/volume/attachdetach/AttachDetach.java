package io.argosy.controllers.volume.attachdetach;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.names.CsiVolume;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.volume.ClaimUsers;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachmentBuilder;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Asks the drivers of volumes to attach them to the nodes whose pods need them, and to detach them again: makes and removes
 * VolumeAttachments, node by node, and keeps the list of what is attached in the nodes' status.
 *
 * <p>There is one worker. It has its own writes in its caches before the next node's turn, so of two nodes that want the same volume the
 * second sees what the first got.
 */
public final class AttachDetach implements Reconciler {
    private static final String BY_NODE = "node";

    private final Resources<VolumeAttachment> attachmentResources;
    private final Resources<Node> nodeResources;
    private final Informer<VolumeAttachment> attachments;
    private final Informer<Node> nodes;
    private final NeededVolumes needed;
    private final Clock clock;
    private final EventRecorder events;
    /** The one worker's alone. */
    private final Map<String, Memory> memories = new HashMap<>();

    private AttachDetach(Client client, Informers informers, Clock clock, EventRecorder events, ClaimUsers users) {
        attachmentResources = client.resources(VolumeAttachment.class);
        nodeResources = client.resources(Node.class);
        attachments = informers.of(VolumeAttachment.class);
        nodes = informers.of(Node.class);
        needed = new NeededVolumes(informers, users);
        attachments.addIndex(BY_NODE, attachment -> List.of(Attachment.nodeOf(attachment)));
        this.clock = clock;
        this.events = events;
    }

    public static Controller controller(
            Client client, Informers informers, Clock clock, EventRecorder events, ClaimUsers users) {
        AttachDetach loop = new AttachDetach(client, informers, clock, events, users);
        Controller.Builder builder = Controller.named("persistentvolume-attach-detach-controller", informers, clock)
                .workers(1)
                .maps(Pod.class, pod -> keys(NeededVolumes.nodesOf(pod)))
                .maps(PersistentVolumeClaim.class, claim -> keys(loop.needed.nodesOf(claim)))
                .maps(PersistentVolume.class, volume -> keys(loop.needed.nodesOf(volume)))
                .maps(CSIDriver.class, driver -> keys(loop.needed.nodesOf(driver)))
                .maps(VolumeAttachment.class, attachment -> keys(loop.needed.nodesOf(attachment)));
        informers.of(Node.class).addHandler(wake(builder.queue()));
        return builder.reconciler(loop);
    }

    private static List<NamespacedName> keys(Collection<String> names) {
        return names.stream().map(NamespacedName::cluster).toList();
    }

    /** A node's heartbeat alone is nobody's concern here. */
    private static Informer.Handler<Node> wake(WorkQueue<NamespacedName> queue) {
        return new Informer.Handler<>() {
            @Override
            public void added(Node node) {
                queue.add(NamespacedName.cluster(node.getMetadata().getName()));
            }

            @Override
            public void updated(Node before, Node after) {
                if (!NodeState.of(before).equals(NodeState.of(after))) {
                    added(after);
                }
            }

            @Override
            public void deleted(Node last) {
                added(last);
            }
        };
    }

    @Override
    public Result reconcile(NamespacedName key) {
        String name = key.name();
        Optional<Node> node = nodes.get(key);
        List<Attachment> present = attachments.byIndex(BY_NODE, name).stream()
                .filter(attachment ->
                        CsiVolume.isAttachmentName(attachment.getMetadata().getName()))
                .map(Attachment::of)
                .toList();
        NodeState state = node.map(NodeState::of).orElseGet(() -> NodeState.gone(name));
        AttachPlan plan = AttachPlan.decide(
                state, needed.on(name), present, memories.getOrDefault(name, Memory.NONE), clock.now());
        plan.tell().forEach(this::tell);
        remember(name, plan.memory());
        Optional<Node> fresh = report(node, state, plan);
        plan.reported().forEach(this::tell);
        detach(name, plan.detach(), fresh);
        attach(name, plan.attach());
        return plan.again().map(Result::after).orElse(Result.done());
    }

    private void tell(AttachPlan.Tell said) {
        events.event(said.pod(), said.type(), said.reason(), said.message());
    }

    private void remember(String node, Memory memory) {
        if (memory.isEmpty()) {
            memories.remove(node);
        } else {
            memories.put(node, memory);
        }
    }

    /** Brings the list in the node's status up to date; the node as it is then, if that was done. */
    private Optional<Node> report(Optional<Node> node, NodeState state, AttachPlan plan) {
        if (node.isEmpty() || plan.report().equals(state.reported())) {
            return Optional.empty();
        }
        ObjectNode patch = Json.object();
        patch.putObject("metadata").put("uid", node.get().getMetadata().getUid());
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        plan.report()
                .values()
                .forEach(volume -> list.addObject().put("name", volume).put("devicePath", ""));
        patch.putObject("status").set("volumesAttached", list.isEmpty() ? null : list);
        try {
            return Optional.of(nodeResources.patchStatus("", state.name(), PatchType.MERGE, patch));
        } catch (ApiException e) {
            if (e.is(Reason.NotFound)) {
                return Optional.empty(); // its end will be seen here soon
            }
            throw e;
        }
    }

    /**
     * A node mounts a volume only after it has said so and then found it in its list. So who takes a volume off the list and then sees
     * that the node has not said so may detach it.
     */
    private void detach(String node, List<AttachPlan.Detach> gone, Optional<Node> fresh) {
        if (gone.isEmpty()) {
            return;
        }
        boolean allForced = gone.stream().allMatch(AttachPlan.Detach::forced);
        Set<String> inUse = (fresh.isPresent() || allForced ? fresh : nodeResources.find("", node))
                .map(NodeState::inUse)
                .orElse(Set.of());
        for (AttachPlan.Detach detach : gone) {
            if (!detach.forced() && inUse.contains(detach.attachment().name())) {
                continue; // the node's news will bring it back here
            }
            try {
                attachmentResources.delete(
                        "",
                        detach.attachment().name(),
                        DeleteOptions.DEFAULT.ifUid(detach.attachment().uid()));
            } catch (ApiException e) {
                if (!e.is(Reason.NotFound)) {
                    throw e;
                }
            }
        }
    }

    /** All are tried, and what the server refuses is told and comes again. */
    private void attach(String node, List<Need> needs) {
        ApiException refusal = null;
        for (Need need : needs) {
            try {
                attachmentResources.create(new VolumeAttachmentBuilder()
                        .withNewMetadata()
                        .withName(need.volume().csi().attachmentTo(node))
                        .endMetadata()
                        .withNewSpec()
                        .withAttacher(need.volume().csi().driver())
                        .withNodeName(node)
                        .withNewSource()
                        .withPersistentVolumeName(need.volume().name())
                        .endSource()
                        .endSpec()
                        .build());
            } catch (ApiException e) {
                if (!e.is(Reason.AlreadyExists)) {
                    AttachPlan.failure(need, "kubernetes.io/csi: attacher.Attach failed: " + e.getMessage())
                            .forEach(this::tell);
                    refusal = e;
                }
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }
}
