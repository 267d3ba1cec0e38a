package io.argosy.api.names;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Decides where chance may: generated names, uids, free addresses. With a seed, a test gets the same decisions in every run. */
@FunctionalInterface
public interface Lot {
    /** The chance that decides this question, once. */
    RandomGenerator about(String question);

    /** Really by chance. */
    static Lot random() {
        return question -> ThreadLocalRandom.current();
    }

    /**
     * By the seed, the question and how often it was asked before; not by what else was asked, so that it does not matter in which
     * order threads come to ask.
     */
    static Lot seeded(long seed) {
        return new SeededLot(seed);
    }
}
