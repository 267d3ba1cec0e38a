package io.argosy.store;

import java.time.Duration;

/** How a store lets time pass between two attempts; whoever opens it decides which clock that is. */
@FunctionalInterface
public interface Pause {
    void of(Duration duration) throws InterruptedException;
}
