package io.argosy.api.metrics;

/** A part of the cluster that has something to tell of itself; it is asked when somebody looks, and costs nothing otherwise. */
@FunctionalInterface
public interface MetricSource {
    void writeTo(Exposition page);
}
