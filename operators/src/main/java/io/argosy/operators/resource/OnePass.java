package io.argosy.operators.resource;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Lets a pass over an object begin only when the one before has ended. The SDK sees to that, too, but it forgets who is at work when an
 * object is deleted: made again under the same name while the last pass over the old one is under way, it would have two loops at once
 * from then on, and two loops add two members.
 */
public final class OnePass {
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();

    /** Who comes too early comes again after that time. */
    public <T extends HasMetadata> UpdateControl<T> over(T object, Duration again, Supplier<UpdateControl<T>> pass) {
        String name =
                object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
        if (!underWay.add(name)) {
            return UpdateControl.<T>noUpdate().rescheduleAfter(again);
        }
        try {
            return pass.get();
        } finally {
            underWay.remove(name);
        }
    }
}
