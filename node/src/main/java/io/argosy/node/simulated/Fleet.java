package io.argosy.node.simulated;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What a simulated fleet looks like: how many nodes, how large, and the objects that stand for them. Node number i is called
 * {@code <prefix><first + i>}, has the address 100.64.x.y and gives its pods addresses out of its own part of 10.128.0.0/9.
 */
public record Fleet(int count, String prefix, int first, Map<String, String> capacity, Map<String, String> labels) {
    static final String LEASE_NAMESPACE = "kube-node-lease";
    static final Duration RENEW_EVERY = Duration.ofSeconds(10);

    private static final int LARGEST = 128 * 256;
    private static final int LEASE_SECONDS = 40;
    private static final String KUBELET_VERSION = "v1.35.0";

    public Fleet {
        if (count < 0 || count > LARGEST) {
            throw new IllegalArgumentException("a simulated fleet has 0 to " + LARGEST + " nodes, not " + count);
        }
        if (Integer.parseInt(capacity.getOrDefault("pods", "110")) > PodAddresses.COUNT) {
            throw new IllegalArgumentException("a simulated node has addresses for " + PodAddresses.COUNT + " pods");
        }
        capacity = Map.copyOf(capacity);
        labels = Map.copyOf(labels);
    }

    /** Nodes {@code sim-0} onwards, of 32 cores, 256 GiB and 110 pods each. */
    public static Fleet of(int count) {
        return new Fleet(
                count,
                "sim-",
                0,
                Map.of("cpu", "32", "memory", "256Gi", "ephemeral-storage", "500Gi", "pods", "110"),
                Map.of());
    }

    public Fleet withCapacity(Map<String, String> changed) {
        return new Fleet(count, prefix, first, changed, labels);
    }

    public Fleet withLabels(Map<String, String> added) {
        return new Fleet(count, prefix, first, capacity, added);
    }

    /** The same nodes under other names: the prefix, and numbers from the first on. */
    public Fleet named(String otherPrefix, int otherFirst) {
        return new Fleet(count, otherPrefix, otherFirst, capacity, labels);
    }

    String name(int number) {
        return prefix + (first + number);
    }

    /** The number of a node of this fleet, or -1. */
    int numberOf(String nodeName) {
        if (nodeName == null || !nodeName.startsWith(prefix)) {
            return -1;
        }
        int number = 0;
        for (int i = prefix.length(); i < nodeName.length(); i++) {
            int digit = Character.digit(nodeName.charAt(i), 10);
            if (digit < 0 || number > LARGEST) {
                return -1;
            }
            number = number * 10 + digit;
        }
        number -= first;
        return number >= 0 && number < count && name(number).equals(nodeName) ? number : -1;
    }

    String address(int number) {
        return "100.64." + number / 250 + "." + (number % 250 + 1);
    }

    /** The first three octets of the addresses of a node's pods. */
    String podNetwork(int number) {
        return "10." + (128 + number / 256) + "." + number % 256;
    }

    Node node(int number, Instant now) {
        Map<String, Quantity> amounts = new java.util.TreeMap<>();
        capacity.forEach((resource, amount) -> amounts.put(resource, new Quantity(amount)));
        String name = name(number);
        String cidr = podNetwork(number) + ".0/24";
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("beta.kubernetes.io/arch", "amd64")
                .addToLabels("beta.kubernetes.io/os", "linux")
                .addToLabels("kubernetes.io/arch", "amd64")
                .addToLabels("kubernetes.io/hostname", name)
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels(labels)
                .addToAnnotations("volumes.kubernetes.io/controller-managed-attach-detach", "true")
                .endMetadata()
                .withNewSpec()
                .withPodCIDR(cidr)
                .withPodCIDRs(cidr)
                .endSpec()
                .withNewStatus()
                .withCapacity(amounts)
                .withAllocatable(amounts)
                .withConditions(conditions(now))
                .addNewAddress(address(number), "InternalIP")
                .addNewAddress(name, "Hostname")
                .withNewNodeInfo()
                .withArchitecture("amd64")
                .withOperatingSystem("linux")
                .withOsImage("Argosy simulated node")
                .withKernelVersion("simulated")
                .withContainerRuntimeVersion("simulated://0.1")
                .withKubeletVersion(KUBELET_VERSION)
                .withKubeProxyVersion("")
                .withMachineID(id(name, "machine"))
                .withSystemUUID(id(name, "system"))
                .withBootID(id(name, "boot"))
                .endNodeInfo()
                .endStatus()
                .build();
    }

    static List<NodeCondition> conditions(Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return List.of(
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "sufficient memory available", time),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "no disk pressure", time),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "sufficient PID available", time),
                condition("Ready", "True", "KubeletReady", "posting ready status", time));
    }

    Lease lease(int number, Instant now) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withName(name(number))
                .withNamespace(LEASE_NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(name(number))
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(now.atZone(ZoneOffset.UTC))
                .endSpec()
                .build();
    }

    private static NodeCondition condition(String type, String status, String reason, String what, String time) {
        return new NodeConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage((type.equals("Ready") ? "kubelet is " : "kubelet has ") + what)
                .withLastHeartbeatTime(time)
                .withLastTransitionTime(time)
                .build();
    }

    private static String id(String name, String what) {
        return UUID.nameUUIDFromBytes((name + "/" + what).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
