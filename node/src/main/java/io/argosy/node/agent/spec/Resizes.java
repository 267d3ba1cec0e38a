package io.argosy.node.agent.spec;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerResizePolicy;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Map;

/** Which changes of a container's resources take effect only when it starts anew. */
public final class Resizes {
    private Resizes() {}

    /** Whether the container must be started anew to have what it says, if it has this. */
    public static boolean needsRestart(Container container, ResourceRequirements has) {
        Container as = new ContainerBuilder(container).withResources(has).build();
        return !startedWith(as).equals(startedWith(container));
    }

    /** The amounts with which the container must be started; another value means it must be started again. */
    public static String startedWith(Container container) {
        List<ContainerResizePolicy> policies = container.getResizePolicy();
        StringBuilder text = new StringBuilder();
        for (ContainerResizePolicy policy : policies) {
            if ("RestartContainer".equals(policy.getRestartPolicy())) {
                ResourceRequirements resources =
                        container.getResources() == null ? new ResourceRequirements() : container.getResources();
                String name = policy.getResourceName();
                text.append(name)
                        .append('=')
                        .append(amount(resources.getRequests(), name))
                        .append('/')
                        .append(amount(resources.getLimits(), name))
                        .append(' ');
            }
        }
        return text.toString().strip();
    }

    private static String amount(Map<String, Quantity> amounts, String name) {
        Quantity found = amounts == null ? null : amounts.get(name);
        return found == null
                ? ""
                : Quantity.getAmountInBytes(found).stripTrailingZeros().toPlainString();
    }
}
