package io.argosy.node.agent.self;

import io.argosy.api.quantity.Quantities;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.image.Image;
import io.argosy.node.runtime.RuntimeInfo;
import io.fabric8.kubernetes.api.model.ContainerImage;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeRuntimeHandler;
import io.fabric8.kubernetes.api.model.NodeRuntimeHandlerFeatures;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The status of the Node object, from what the machine and the runtime say. */
final class NodeStatuses {
    static final String VERSION = "v1.35.0+argosy";
    private static final int MOST_IMAGES = 50;

    private final NodeConfig config;
    private final Machine machine;
    private final Supplier<Set<String>> pressures;

    NodeStatuses(NodeConfig config, Machine machine, Supplier<Set<String>> pressures) {
        this.config = config;
        this.machine = machine;
        this.pressures = pressures;
    }

    NodeStatus of(RuntimeInfo runtime, List<Image> images, List<NodeCondition> before, Instant now) {
        return new NodeStatusBuilder()
                .withCapacity(quantities(machine.capacity()))
                .withAllocatable(quantities(machine.allocatable()))
                .withAddresses(addresses())
                .withConditions(conditions(runtime, before, now))
                .withNewDaemonEndpoints()
                .withNewKubeletEndpoint(config.settings().port().orElse(0))
                .endDaemonEndpoints()
                .withNodeInfo(new NodeSystemInfoBuilder()
                        .withArchitecture(Machine.architecture())
                        .withBootID(machine.bootId())
                        .withContainerRuntimeVersion(runtime.name() + "://" + runtime.version())
                        .withKernelVersion(machine.kernel())
                        .withKubeProxyVersion("")
                        .withKubeletVersion(VERSION)
                        .withMachineID(machine.machineId())
                        .withOperatingSystem("linux")
                        .withOsImage(machine.osImage())
                        .withSystemUUID(machine.systemUuid())
                        .build())
                .withImages(images(images))
                .withRuntimeHandlers(handlers(runtime))
                .withNewFeatures(true)
                .build();
    }

    /** The usual handler and the same by its name. */
    private static List<NodeRuntimeHandler> handlers(RuntimeInfo runtime) {
        var features = new NodeRuntimeHandlerFeatures(
                runtime.features().recursiveReadOnly(), runtime.features().userNamespaces());
        return List.of(new NodeRuntimeHandler(features, ""), new NodeRuntimeHandler(features, runtime.name()));
    }

    private List<NodeAddress> addresses() {
        List<NodeAddress> addresses = new ArrayList<>();
        config.addresses().forEach(ip -> addresses.add(new NodeAddress(ip, "InternalIP")));
        addresses.add(new NodeAddress(config.name(), "Hostname"));
        return addresses;
    }

    private static List<ContainerImage> images(List<Image> images) {
        return images.stream()
                .sorted(Comparator.comparingLong(Image::size).reversed())
                .limit(MOST_IMAGES)
                .map(image -> {
                    List<String> names = new ArrayList<>(image.repoDigests());
                    names.addAll(image.repoTags());
                    return new ContainerImage(names, image.size());
                })
                .toList();
    }

    private List<NodeCondition> conditions(RuntimeInfo runtime, List<NodeCondition> before, Instant now) {
        Set<String> pressed = pressures.get();
        boolean memory = pressed.contains("MemoryPressure");
        boolean disk = pressed.contains("DiskPressure");
        List<NodeCondition> conditions = new ArrayList<>();
        conditions.add(
                memory
                        ? condition(
                                "MemoryPressure",
                                true,
                                "KubeletHasInsufficientMemory",
                                "kubelet has insufficient memory available")
                        : condition(
                                "MemoryPressure",
                                false,
                                "KubeletHasSufficientMemory",
                                "kubelet has sufficient memory available"));
        conditions.add(
                disk
                        ? condition("DiskPressure", true, "KubeletHasDiskPressure", "kubelet has disk pressure")
                        : condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"));
        conditions.add(
                pressed.contains("PIDPressure")
                        ? condition(
                                "PIDPressure",
                                true,
                                "KubeletHasInsufficientPID",
                                "kubelet has insufficient PID available")
                        : condition(
                                "PIDPressure",
                                false,
                                "KubeletHasSufficientPID",
                                "kubelet has sufficient PID available"));
        conditions.add(ready(runtime));
        Map<String, NodeCondition> old = new HashMap<>();
        before.forEach(c -> old.put(c.getType(), c));
        for (NodeCondition condition : conditions) {
            NodeCondition was = old.get(condition.getType());
            boolean same = was != null && condition.getStatus().equals(was.getStatus());
            condition.setLastHeartbeatTime(time(now));
            condition.setLastTransitionTime(same ? was.getLastTransitionTime() : time(now));
        }
        return conditions;
    }

    private static NodeCondition ready(RuntimeInfo runtime) {
        if (!runtime.runtime().ready()) {
            return condition("Ready", false, "KubeletNotReady", notReady("RuntimeReady", runtime.runtime()));
        }
        if (!runtime.network().ready()) {
            return condition(
                    "Ready",
                    false,
                    "KubeletNotReady",
                    "container runtime network not ready: " + notReady("NetworkReady", runtime.network()));
        }
        return condition("Ready", true, "KubeletReady", "kubelet is posting ready status");
    }

    private static String notReady(String what, RuntimeInfo.Condition why) {
        return what + "=false reason:" + why.reason() + " message:" + why.message();
    }

    private static NodeCondition condition(String type, boolean status, String reason, String message) {
        return new NodeConditionBuilder()
                .withType(type)
                .withStatus(status ? "True" : "False")
                .withReason(reason)
                .withMessage(message)
                .build();
    }

    private static Map<String, Quantity> quantities(Map<String, BigDecimal> amounts) {
        Map<String, Quantity> quantities = new HashMap<>();
        amounts.forEach((name, amount) -> {
            boolean kibi = name.equals("memory");
            quantities.put(
                    name,
                    kibi
                            ? new Quantity(Long.toString(amount.longValue() / 1024), "Ki")
                            : new Quantity(
                                    Quantities.canonical(amount.toPlainString()).orElseThrow()));
        });
        return quantities;
    }

    private static String time(Instant instant) {
        return DateTimeFormatter.ISO_INSTANT.format(instant.truncatedTo(ChronoUnit.SECONDS));
    }
}
