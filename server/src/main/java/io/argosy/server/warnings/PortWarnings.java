package io.argosy.server.warnings;

import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ports that several containers of a pod, or one of them twice, say to have. */
final class PortWarnings {
    /** What somebody writes who means well; each port is compared with so many of its number. */
    private static final int MOST_COMPARED = 100;

    private PortWarnings() {}

    static void check(List<Spot> containers, Remarks remarks) {
        Map<String, List<Spot>> numbered = new HashMap<>();
        Map<String, String> named = new HashMap<>();
        for (Spot container : containers) {
            for (Spot port : container.each("ports")) {
                String number = port.text("containerPort") + "/" + port.text("protocol");
                List<Spot> others = numbered.computeIfAbsent(number, key -> new ArrayList<>());
                others.forEach(other -> compare(port, other, remarks));
                if (others.size() < MOST_COMPARED) {
                    others.add(port);
                }
            }
        }
        for (Spot container : containers) {
            for (Spot port : container.each("ports")) {
                String other = port.text("name").isEmpty() ? null : named.putIfAbsent(port.text("name"), port.path());
                if (other != null) {
                    remarks.of(
                            port,
                            "duplicate port name \"" + port.text("name") + "\" with " + other
                                    + ", services and probes that select ports by name will use " + other);
                }
            }
        }
    }

    private static void compare(Spot port, Spot other, Remarks remarks) {
        long mine = port.at("hostPort").number();
        long theirs = other.at("hostPort").number();
        boolean sameAddress = port.text("hostIP").equals(other.text("hostIP"));
        boolean anyAddress =
                port.text("hostIP").isEmpty() != other.text("hostIP").isEmpty();
        if (sameAddress && mine == theirs) {
            remarks.of(port, "duplicate port definition with " + other.path());
        } else if (mine == 0 || theirs == 0) {
            remarks.of(port, "overlapping port definition with " + other.path());
        } else if (mine == theirs && anyAddress) {
            remarks.of(port, "dangerously ambiguous port definition with " + other.path());
        }
    }
}
