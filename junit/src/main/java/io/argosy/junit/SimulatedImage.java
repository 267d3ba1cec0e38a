package io.argosy.junit;

import io.argosy.node.simulated.Behaviour;
import io.argosy.node.simulated.Scene;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * How pods with an image behave on simulated nodes; what is said holds for pods that come to a node from then on. Without a word they are
 * pulled, started and ready at once, and run for ever. A pod's own annotations ({@code simulated.argosy.io/...}) count before this.
 */
public final class SimulatedImage {
    private final Scene scene;
    private final String image;

    SimulatedImage(Scene scene, String image) {
        this.scene = scene;
        this.image = image;
    }

    /** No registry has it: pods stay in ErrImagePull and ImagePullBackOff. */
    public SimulatedImage missing() {
        String reference = image.contains("/") ? image : "docker.io/library/" + image;
        return change(behaviour ->
                behaviour.notPulled("failed to resolve reference \"" + reference + "\": " + reference + ": not found"));
    }

    /** It is there, at once; also for pods that wait for it, at their next try. */
    public SimulatedImage present() {
        return pulledIn(Duration.ZERO);
    }

    /** It is there, after a pull that takes that long. */
    public SimulatedImage pulledIn(Duration delay) {
        return change(behaviour -> behaviour.pulledIn(delay));
    }

    public SimulatedImage startsAfter(Duration delay) {
        return change(behaviour -> behaviour.startsAfter(delay));
    }

    public SimulatedImage readyAfter(Duration delay) {
        return change(behaviour -> behaviour.readyAfter(delay));
    }

    /** The containers run that long and exit: the first run with the first code, the second with the second ...; the last one stays. */
    public SimulatedImage exits(Duration after, int... codes) {
        return change(behaviour ->
                behaviour.exitsAfter(after, Arrays.stream(codes).boxed().toList()));
    }

    private SimulatedImage change(UnaryOperator<Behaviour> difference) {
        scene.behave(image, difference.apply(scene.behaviour(image)));
        return this;
    }
}
