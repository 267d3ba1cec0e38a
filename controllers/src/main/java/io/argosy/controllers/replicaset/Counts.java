package io.argosy.controllers.replicaset;

/** Numbers that the API leaves out when they are their default. */
final class Counts {
    private Counts() {}

    static int orZero(Integer number) {
        return number == null ? 0 : number;
    }

    static long orZero(Long number) {
        return number == null ? 0 : number;
    }

    static int orOne(Integer number) {
        return number == null ? 1 : number;
    }

    static Integer orNull(int number) {
        return number == 0 ? null : number;
    }
}
