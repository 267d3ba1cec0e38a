package io.argosy.controllers.volume.attachdetach;

import io.argosy.client.event.EventRecorder.Type;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Decides what becomes of the attachments of one node: given what its pods need and what there is, what to attach, what to detach, and
 * what the node and its pods are told.
 *
 * @param report the volumes that the node's status shall show as attached, by attachment
 * @param reported what pods are told once it does
 * @param detach to be done once the node's status no longer shows them
 * @param again when to look again though nothing has happened
 */
record AttachPlan(
        List<Tell> tell,
        Map<String, String> report,
        List<Tell> reported,
        List<Detach> detach,
        List<Need> attach,
        Memory memory,
        Optional<Duration> again) {
    /** How long a node that does not answer may keep a volume which none of its pods needs any more. */
    static final Duration UNMOUNT_PATIENCE = Duration.ofMinutes(6);
    /** How long a driver may take before its silence is told. */
    static final Duration ATTACH_PATIENCE = Duration.ofMinutes(2);

    private static final String FAILED = "FailedAttachVolume";

    /** An event on a pod. */
    record Tell(Pod pod, Type type, String reason, String message) {}

    /**
     * An attachment that is to go.
     *
     * @param forced whether it goes even though the node may still have the volume mounted
     */
    record Detach(Attachment attachment, boolean forced) {}

    static AttachPlan decide(NodeState node, List<Need> needs, List<Attachment> present, Memory memory, Instant now) {
        return new Draft(node, memory, now).plan(needs, present);
    }

    static List<Tell> failure(Need need, String why) {
        return need.pods().stream()
                .map(pod -> new Tell(pod, Type.Warning, FAILED, Messages.failed(need.volume(), why)))
                .toList();
    }

    /** A plan while it is made. */
    private static final class Draft {
        private final NodeState node;
        private final Memory memory;
        private final Instant now;
        private final Memory next = Memory.fresh();
        private final List<Tell> tell = new ArrayList<>();
        private final Map<String, String> report = new TreeMap<>();
        private final List<Tell> reported = new ArrayList<>();
        private final List<Detach> detach = new ArrayList<>();
        private final List<Need> attach = new ArrayList<>();
        private Duration again;

        private Draft(NodeState node, Memory memory, Instant now) {
            this.node = node;
            this.memory = memory;
            this.now = now;
        }

        private AttachPlan plan(List<Need> needs, List<Attachment> present) {
            Map<String, Need> needed = new HashMap<>();
            if (node.managed()) {
                needs.forEach(need -> needed.put(need.volume().csi().attachmentTo(node.name()), need));
            }
            Set<String> there = new HashSet<>();
            for (Attachment attachment : present) {
                there.add(attachment.name());
                Need need = needed.get(attachment.name());
                if (attachment.deleting()) {
                    continue; // it must be gone before there can be another
                }
                if (need == null) {
                    release(attachment);
                } else if (attachment.attached()) {
                    show(attachment, need);
                } else {
                    await(attachment, need);
                }
            }
            needed.forEach((name, need) -> {
                if (!there.contains(name) && node.exists()) {
                    begin(name, need);
                }
            });
            return new AttachPlan(tell, report, reported, detach, attach, next, Optional.ofNullable(again));
        }

        private void release(Attachment attachment) {
            boolean mounted = !node.exists() || node.inUse().contains(attachment.name());
            Instant since = memory.unneeded().getOrDefault(attachment.name(), now);
            Duration left = Duration.between(now, since.plus(UNMOUNT_PATIENCE));
            next.unneeded().put(attachment.name(), since);
            if (!mounted || node.outOfService() || !node.ready() && !left.isPositive()) {
                detach.add(new Detach(attachment, mounted));
                return;
            }
            String shown = node.reported().get(attachment.name());
            if (attachment.attached() && shown != null) {
                report.put(attachment.name(), shown);
            }
            if (!node.ready()) {
                lookIn(left);
            }
        }

        private void show(Attachment attachment, Need need) {
            report.put(attachment.name(), need.volume().csi().uniqueName());
            if (node.exists() && !node.reported().containsKey(attachment.name())) {
                need.pods()
                        .forEach(pod -> reported.add(new Tell(
                                pod, Type.Normal, "SuccessfulAttachVolume", Messages.succeeded(need.volume()))));
            }
        }

        private void await(Attachment attachment, Need need) {
            if (attachment.failed()) {
                String failure = attachment.errorTime() + " " + attachment.error();
                next.failures().put(attachment.name(), failure);
                if (!failure.equals(memory.failures().get(attachment.name()))) {
                    tell.addAll(failure(need, attachment.error()));
                }
                return;
            }
            Instant since = memory.awaited().getOrDefault(attachment.name(), now);
            if (!since.plus(ATTACH_PATIENCE).isAfter(now)) {
                tell.addAll(failure(need, Messages.timedOut(need.volume())));
                since = now;
            }
            next.awaited().put(attachment.name(), since);
            lookIn(Duration.between(now, since.plus(ATTACH_PATIENCE)));
        }

        /** A volume for one node is not attached while any other has, or may have, or loses it. */
        private void begin(String name, Need need) {
            if (!need.volume().exclusive() || need.elsewhere().isEmpty()) {
                attach.add(need);
                return;
            }
            List<Pod> users = new ArrayList<>();
            boolean taken = false;
            for (Need.Holder holder : need.elsewhere()) {
                if (holder.attached() || holder.failing() && !holder.pods().isEmpty()) {
                    taken = true;
                    users.addAll(holder.pods());
                }
            }
            if (taken) {
                need.pods().forEach(pod -> refuse(name, need.volume(), pod, users));
            }
        }

        private void refuse(String name, Attachable volume, Pod pod, List<Pod> users) {
            String key = name + " " + pod.getMetadata().getUid();
            next.refused().add(key);
            if (!memory.refused().contains(key)) {
                tell.add(new Tell(pod, Type.Warning, FAILED, Messages.multiAttach(volume, pod, users)));
            }
        }

        private void lookIn(Duration time) {
            again = again == null || time.compareTo(again) < 0 ? time : again;
        }
    }
}
