package io.argosy.node.simulated;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What somebody has arranged for a simulated fleet: how the pods of an image behave, and which nodes are lost. It may change at any
 * time, and outlives the fleet that plays it.
 */
public final class Scene {
    private final Map<String, Behaviour> byImage = new ConcurrentHashMap<>();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    /** How pods with this image behave from now on, where their annotations do not say it. */
    public void behave(String image, Behaviour behaviour) {
        byImage.put(image, behaviour);
    }

    /** What is arranged for the image; nothing special if nothing is. */
    public Behaviour behaviour(String image) {
        return byImage.getOrDefault(image, Behaviour.PLAIN);
    }

    /** That of the first container something is arranged for, and of the annotations. */
    Behaviour of(Pod pod) {
        Behaviour arranged = Behaviour.PLAIN;
        for (Container container : pod.getSpec().getContainers()) {
            Behaviour known = byImage.get(container.getImage());
            if (known != null) {
                arranged = known;
                break;
            }
        }
        return arranged.as(pod);
    }

    void lose(String node) {
        lost.add(node);
    }

    void find(String node) {
        lost.remove(node);
    }

    /** Whether the node is lost at the moment. */
    public boolean isLost(String node) {
        return !lost.isEmpty() && lost.contains(node);
    }
}
