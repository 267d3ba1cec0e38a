package io.argosy.node.agent.spec;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Huge pages: resources named after the size of a page, such as hugepages-2Mi, and volumes made of them. */
public final class HugePages {
    private static final String RESOURCE = "hugepages-";
    private static final String MEDIUM = "HugePages";

    private HugePages() {}

    /** The resource of pages of so many bytes. */
    public static String resource(long pageBytes) {
        long mebi = pageBytes >> 20;
        return RESOURCE + (mebi >= 1024 && mebi % 1024 == 0 ? (mebi >> 10) + "Gi" : mebi + "Mi");
    }

    /** How many bytes of pages of which size a container may have. */
    static Map<Long, Long> limits(ResourceRequirements resources) {
        Map<Long, Long> limits = new TreeMap<>();
        if (resources != null && resources.getLimits() != null) {
            resources.getLimits().forEach((name, amount) -> {
                if (name.startsWith(RESOURCE)) {
                    long page = bytes(new Quantity(name.substring(RESOURCE.length())));
                    limits.put(page, bytes(amount));
                }
            });
        }
        return limits;
    }

    /** Whether a volume of this medium consists of huge pages. */
    public static boolean isMedium(String medium) {
        return medium != null && medium.startsWith(MEDIUM);
    }

    /** The size of the pages of such a volume: the one it names, or the only one that the pod asks for. */
    public static Optional<Long> pageOf(Pod pod, EmptyDirVolumeSource source) {
        String medium = source.getMedium();
        if (medium.startsWith(MEDIUM + "-")) {
            return Optional.of(bytes(new Quantity(medium.substring(MEDIUM.length() + 1))));
        }
        TreeSet<Long> asked = new TreeSet<>();
        for (Container container : pod.getSpec().getContainers()) {
            asked.addAll(limits(container.getResources()).keySet());
        }
        pod.getSpec()
                .getInitContainers()
                .forEach(container ->
                        asked.addAll(limits(container.getResources()).keySet()));
        asked.addAll(limits(pod.getSpec().getResources()).keySet());
        return asked.size() == 1 ? Optional.of(asked.first()) : Optional.empty();
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValue();
    }
}
