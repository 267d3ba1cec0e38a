package io.argosy.node.runtime;

import java.util.List;
import java.util.Locale;

/** Names of signals and their numbers, as images and pods spell them. */
public final class Signals {
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");
    private static final int FIRST_REALTIME = 34;
    private static final int LAST_REALTIME = 64;

    private Signals() {}

    public static boolean isKnown(String name) {
        try {
            return number(name) > 0;
        } catch (RuntimeFailure unknown) {
            return false;
        }
    }

    /** Throws {@link RuntimeFailure} for what is no signal. */
    public static int number(String name) {
        String plain = name.strip().toUpperCase(Locale.ROOT);
        if (plain.startsWith("SIG")) {
            plain = plain.substring(3);
        }
        int index = NAMES.indexOf(plain);
        if (index >= 0) {
            return index + 1;
        }
        if (plain.startsWith("RTMIN")) {
            return realtime(name, FIRST_REALTIME, plain.substring(5));
        }
        if (plain.startsWith("RTMAX")) {
            return realtime(name, LAST_REALTIME, plain.substring(5));
        }
        return checked(name, plain);
    }

    private static int realtime(String name, int base, String offset) {
        return offset.isEmpty() ? base : inRange(name, base + parse(name, offset));
    }

    private static int checked(String name, String digits) {
        return inRange(name, parse(name, digits));
    }

    private static int parse(String name, String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "unknown signal " + name, e);
        }
    }

    private static int inRange(String name, int number) {
        if (number < 1 || number > LAST_REALTIME) {
            throw new RuntimeFailure(RuntimeFailure.Kind.INVALID, "unknown signal " + name);
        }
        return number;
    }
}
