package io.argosy.node.usage;

import java.time.Duration;
import java.time.Instant;

/**
 * What something uses of a machine.
 *
 * @param window how long was measured, up to that moment
 * @param nanoCores processors in use on average over that time, in billionths of one
 * @param memoryBytes memory in use at that moment that could not be dropped at once
 */
public record Sample(Instant at, Duration window, long nanoCores, long memoryBytes) {}
