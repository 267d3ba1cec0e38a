package io.argosy.controllers.volume.attachdetach;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.stream.Collectors;

/** What pods are told of their volumes, in Kubernetes' words and blanks. */
final class Messages {
    private Messages() {}

    static String succeeded(Attachable volume) {
        return say("AttachVolume.Attach succeeded", volume, "");
    }

    static String failed(Attachable volume, String why) {
        return say("AttachVolume.Attach failed", volume, ": " + why);
    }

    static String timedOut(Attachable volume) {
        return "timed out waiting for external-attacher of " + volume.csi().driver() + " CSI driver to attach volume "
                + volume.csi().handle();
    }

    /** Names those users only that are in the pod's own namespace: of others a pod's people need not know. */
    static String multiAttach(Attachable volume, Pod pod, List<Pod> users) {
        String namespace = pod.getMetadata().getNamespace();
        List<String> near = users.stream()
                .filter(user -> user.getMetadata().getNamespace().equals(namespace))
                .map(user -> user.getMetadata().getName())
                .sorted()
                .toList();
        int far = users.size() - near.size();
        String others = far + " pod(s) in different namespaces";
        String what;
        if (users.isEmpty()) {
            what = "Volume is already exclusively attached to one node and can't be attached to another";
        } else if (near.isEmpty()) {
            what = "Volume is already used by " + others;
        } else {
            what = near.stream().collect(Collectors.joining(", ", "Volume is already used by pod(s) ", ""))
                    + (far > 0 ? " and " + others : "");
        }
        return say("Multi-Attach error", volume, what);
    }

    private static String say(String what, Attachable volume, String more) {
        return what + " for volume \"" + volume.name() + "\" " + more;
    }
}
