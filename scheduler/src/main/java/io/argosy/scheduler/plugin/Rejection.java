package io.argosy.scheduler.plugin;

import java.util.List;

/**
 * Why a node will not do, in the words that people search for; final when even an empty node of this make would not do, so that
 * evicting pods cannot help.
 */
public record Rejection(List<String> reasons, boolean isFinal) {
    public static Rejection forGood(String reason) {
        return new Rejection(List.of(reason), true);
    }

    public static Rejection forNow(String reason) {
        return new Rejection(List.of(reason), false);
    }
}
