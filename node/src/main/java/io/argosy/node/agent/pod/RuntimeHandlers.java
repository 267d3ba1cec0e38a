package io.argosy.node.agent.pod;

import io.argosy.client.Client;
import io.argosy.node.runtime.RuntimeFailure;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;

/** Which way of the runtime a pod is to be run in, as its RuntimeClass says. */
final class RuntimeHandlers {
    private RuntimeHandlers() {}

    /** Empty for a pod that names no class. */
    static String of(Pod pod, Client client) {
        String name = pod.getSpec().getRuntimeClassName();
        if (name == null || name.isEmpty()) {
            return "";
        }
        return client.resources(RuntimeClass.class)
                .find("", name)
                .map(RuntimeClass::getHandler)
                .orElseThrow(() -> new RuntimeFailure(
                        RuntimeFailure.Kind.NOT_FOUND, "runtimeclass.node.k8s.io \"" + name + "\" not found"));
    }
}
