package io.argosy.node.runtime.oci;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/**
 * The control groups between the runtime's own and those of pods, one for each class of service: each weighs as much as the pods in
 * it, so that a pod has what it asked for beside those of other classes too. Who asked for nothing adds nothing.
 */
final class SharedGroups {
    private final Cgroups cgroups;
    private final Path root;

    SharedGroups(Cgroups cgroups, String root) {
        this.cgroups = cgroups;
        this.root = Path.of(root);
    }

    /** The pods' groups are these; whatever was there before this object was made is weighed anew. */
    void weigh(Collection<String> podGroups) throws IOException {
        for (String above :
                podGroups.stream().map(SharedGroups::above).distinct().toList()) {
            weighFrom(Path.of(above));
        }
    }

    /** A pod's group was made, changed or removed. */
    void weigh(String podGroup) throws IOException {
        weighFrom(Path.of(above(podGroup)));
    }

    private static String above(String podGroup) {
        return Path.of(podGroup).getParent().toString();
    }

    private synchronized void weighFrom(Path lowest) throws IOException {
        for (Path group = lowest; !group.equals(root) && group.startsWith(root); group = group.getParent()) {
            long sum = 0;
            for (long weight : cgroups.weightsIn(group.toString())) {
                sum += weight > cgroups.leastWeight() ? weight : 0;
            }
            cgroups.setWeight(group.toString(), Math.clamp(sum, cgroups.leastWeight(), cgroups.mostWeight()));
        }
    }
}
