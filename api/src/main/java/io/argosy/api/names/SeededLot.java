package io.argosy.api.names;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/** The same answers to the same questions for the same seed. */
final class SeededLot implements Lot {
    private final long seed;
    private final Map<Long, Integer> asked = new ConcurrentHashMap<>();

    SeededLot(long seed) {
        this.seed = seed;
    }

    @Override
    public RandomGenerator about(String question) {
        long key = seed;
        for (int i = 0; i < question.length(); i++) {
            key = (key ^ question.charAt(i)) * 0x100000001b3L;
        }
        int times = asked.merge(key, 1, Integer::sum);
        return new SplittableRandom(mixed(key) ^ mixed(times));
    }

    /** Without this, questions asked in a row would get the same sequence, one further each time. */
    private static long mixed(long number) {
        long mixed = (number ^ number >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
