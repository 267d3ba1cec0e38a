package io.argosy.api.metrics;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** How often something took how long. May be told of from any thread, and costs two additions each time. */
public final class Histogram {
    private static final double NANOS = 1e9;
    private static final int SHOWN_DIGITS = 6;

    private final double[] bounds;
    private final long[] boundNanos;
    private final AtomicLongArray counts;
    private final LongAdder sum = new LongAdder();

    /** The upper bounds in seconds, growing. */
    public Histogram(double... bounds) {
        this.bounds = bounds;
        this.boundNanos = new long[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            boundNanos[i] = Math.round(bounds[i] * NANOS);
        }
        this.counts = new AtomicLongArray(bounds.length + 1);
    }

    /** Bounds that grow by a factor. */
    public static double[] exponential(double first, double factor, int count) {
        double[] bounds = new double[count];
        for (int i = 0; i < count; i++) {
            double bound = first * Math.pow(factor, i);
            double digits = Math.pow(10, SHOWN_DIGITS - Math.ceil(Math.log10(bound)));
            bounds[i] = Math.rint(bound * digits) / digits; // 1e-7, not 1.0000000000000001e-7
        }
        return bounds;
    }

    public void observe(long nanos) {
        int bucket = 0;
        while (bucket < boundNanos.length && nanos > boundNanos[bucket]) {
            bucket++;
        }
        counts.incrementAndGet(bucket);
        sum.add(nanos);
    }

    /** How often it was told of. */
    public long count() {
        long all = 0;
        for (long bucket : counts()) {
            all += bucket;
        }
        return all;
    }

    double[] bounds() {
        return bounds.clone();
    }

    long[] counts() {
        long[] now = new long[counts.length()];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts.get(i);
        }
        return now;
    }

    double sumSeconds() {
        return sum.sum() / NANOS;
    }
}
