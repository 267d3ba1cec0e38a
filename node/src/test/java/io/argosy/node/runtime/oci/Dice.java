package io.argosy.node.runtime.oci;

import java.util.Random;

/** Other dice in every run of a test that kills at random; the same ones again, though not the machine's own haste, with {@code -Dargosy.seed}. */
final class Dice {
    private Dice() {}

    static Random thrown(String test) {
        long seed = Long.getLong("argosy.seed", new Random().nextLong());
        System.out.println(test + ": -Dargosy.seed=" + seed + " throws these dice again");
        return new Random(seed);
    }
}
