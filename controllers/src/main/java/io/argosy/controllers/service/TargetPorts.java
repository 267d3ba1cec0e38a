package io.argosy.controllers.service;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.util.List;
import java.util.OptionalInt;

/** Finds the port of a pod that a service port leads to: a number is itself, a name is looked up in the pod's containers. */
public final class TargetPorts {
    private TargetPorts() {}

    public static OptionalInt find(Pod pod, ServicePort port) {
        IntOrString target = port.getTargetPort();
        if (target == null) {
            return OptionalInt.of(port.getPort());
        }
        if (target.getIntVal() != null) {
            return OptionalInt.of(target.getIntVal() == 0 ? port.getPort() : target.getIntVal());
        }
        String name = target.getStrVal();
        OptionalInt found = find(pod.getSpec().getContainers(), name, protocol(port.getProtocol()));
        if (found.isPresent()) {
            return found;
        }
        List<Container> sidecars = pod.getSpec().getInitContainers().stream()
                .filter(container -> "Always".equals(container.getRestartPolicy()))
                .toList();
        return find(sidecars, name, protocol(port.getProtocol()));
    }

    public static String protocol(String protocol) {
        return protocol == null || protocol.isEmpty() ? "TCP" : protocol;
    }

    private static OptionalInt find(List<Container> containers, String name, String protocol) {
        for (Container container : containers) {
            for (ContainerPort port : container.getPorts()) {
                if (name.equals(port.getName()) && protocol.equals(protocol(port.getProtocol()))) {
                    return OptionalInt.of(port.getContainerPort());
                }
            }
        }
        return OptionalInt.empty();
    }
}
