package io.argosy.api;

import java.util.Random;

/** Tries a property on random inputs, others in every run; a failure names the seed that brings it again, alone, with {@code -Dargosy.seed}. */
public final class Tries {
    private Tries() {}

    /** Something that holds whatever the dice say. */
    public interface Property {
        void holds(Random random) throws Exception;
    }

    public static void of(int tries, Property property) {
        String again = System.getProperty("argosy.seed");
        if (again != null) {
            attempt(Long.parseLong(again), property);
            return;
        }
        Random seeds = new Random();
        for (int i = 0; i < tries; i++) {
            attempt(seeds.nextLong(), property);
        }
    }

    private static void attempt(long seed, Property property) {
        try {
            property.holds(new Random(seed));
        } catch (Exception | AssertionError failure) {
            throw new AssertionError("-Dargosy.seed=" + seed + " brings this again: " + failure.getMessage(), failure);
        }
    }
}
