package io.argosy.server.flow;

import java.time.Duration;

/**
 * What a request is taken to cost.
 *
 * @param seats while it is carried out
 * @param seatsAfter when it is answered, while watchers are told of what it wrote
 * @param lingering for how long that takes
 */
public record Work(int seats, int seatsAfter, Duration lingering) {
    /** One seat, and done with the answer. */
    public static final Work ONE = of(1);

    /** So many seats until the answer. */
    static Work of(int seats) {
        return new Work(seats, 0, Duration.ZERO);
    }

    /** The seats to be had before it begins: those it ends with are kept for it from the start. */
    int widest() {
        return Math.max(seats, seatsAfter);
    }

    /** In seconds on one seat, where one of its kind takes so long until the answer. */
    double seatSeconds(double untilAnswer) {
        return seats * untilAnswer + seatsAfter * (lingering.toNanos() / 1e9);
    }

    /** The same work where there are fewer seats: what comes after the answer takes longer on them. */
    Work within(int limit) {
        if (seatsAfter <= limit || limit <= 0) {
            return this;
        }
        return new Work(seats, limit, lingering.multipliedBy(seatsAfter).dividedBy(limit));
    }
}
