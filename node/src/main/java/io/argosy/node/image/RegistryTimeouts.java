package io.argosy.node.image;

import java.time.Duration;

/**
 * How long a registry may keep us waiting.
 *
 * @param connect until the connection stands
 * @param answer until the answer begins
 * @param stall between two pieces of an answer
 */
public record RegistryTimeouts(Duration connect, Duration answer, Duration stall) {
    public static final RegistryTimeouts DEFAULT =
            new RegistryTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30));
}
