package io.argosy.node.runtime;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a pod has used: the whole pod's control group, its network interface, and each running container. */
public record SandboxStats(
        String sandboxId, Instant at, ContainerStats.Usage usage, Network network, List<ContainerStats> containers) {

    public SandboxStats {
        containers = List.copyOf(containers);
    }

    /** Traffic of the pod's interface; all zero in the host's network. */
    public record Network(Traffic received, Traffic sent) {
        public static final Network NONE = new Network(Traffic.NONE, Traffic.NONE);
        private static final int RECEIVED = 1;
        private static final int SENT = 9;

        /** What the kernel's table of interfaces says, by their names. */
        public static Map<String, Network> parse(List<String> table) {
            Map<String, Network> interfaces = new LinkedHashMap<>();
            for (String line : table) {
                String[] fields = line.strip().split("[:\\s]+", -1);
                if (line.contains(":") && fields.length > SENT + 3) {
                    interfaces.put(
                            fields[0], new Network(Traffic.parse(fields, RECEIVED), Traffic.parse(fields, SENT)));
                }
            }
            return interfaces;
        }
    }

    /** One direction. */
    public record Traffic(long bytes, long packets, long errors, long dropped) {
        public static final Traffic NONE = new Traffic(0, 0, 0, 0);

        private static Traffic parse(String[] fields, int first) {
            return new Traffic(
                    Long.parseLong(fields[first]),
                    Long.parseLong(fields[first + 1]),
                    Long.parseLong(fields[first + 2]),
                    Long.parseLong(fields[first + 3]));
        }
    }
}
