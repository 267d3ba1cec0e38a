package io.argosy.node.agent.volume;

import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.spec.ResourceLimits;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** How large an emptyDir in memory is: as its limit says, and never more than the pod, or all pods together, may have. */
final class MemorySize {
    private MemorySize() {}

    static OptionalLong of(Pod pod, EmptyDirVolumeSource source, DownwardValues downward) {
        Quantity own = source.getSizeLimit();
        return LongStream.of(
                        downward.allocatable("memory").longValue(),
                        ResourceLimits.ofPod(pod).memoryLimit().orElse(0),
                        own == null || own.getAmount() == null
                                ? 0
                                : Quantity.getAmountInBytes(own).longValue())
                .filter(bytes -> bytes > 0)
                .min();
    }
}
