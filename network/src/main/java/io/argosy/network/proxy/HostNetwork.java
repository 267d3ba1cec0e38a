package io.argosy.network.proxy;

import io.argosy.api.net.Cidr;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the machine must do besides our rules: forward packets, let bridged ones pass the rules (else replies between pods of one
 * bridge keep the wrong address), and know a way to Service addresses even without a default route, so that they work offline.
 */
public final class HostNetwork {
    private static final Logger log = LoggerFactory.getLogger(HostNetwork.class);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final List<String> SWITCHES = List.of(
            "/proc/sys/net/ipv4/ip_forward",
            "/proc/sys/net/bridge/bridge-nf-call-iptables",
            "/proc/sys/net/bridge/bridge-nf-call-ip6tables");
    private static final String SWITCH_V6 = "/proc/sys/net/ipv6/conf/all/forwarding";

    /** The ranges that routes were made for, kept beyond the process, so that a later one can take them away. */
    public interface Memory {
        List<Cidr> routed() throws IOException;

        void routing(List<Cidr> ranges) throws IOException;
    }

    private final List<String> prefix;
    private final Memory memory;

    /** The prefix goes before every command: empty, or {@code ip netns exec N}. */
    public HostNetwork(Memory memory, List<String> prefix) {
        this.memory = memory;
        this.prefix = List.copyOf(prefix);
    }

    /**
     * Switches on what is off, and makes these the ranges that there are routes for. What the machine refuses is warned about, not
     * fatal.
     */
    public void prepare(List<Cidr> ranges) throws IOException, InterruptedException {
        List<Cidr> gone = new ArrayList<>(memory.routed());
        gone.removeAll(ranges);
        memory.routing(ranges);
        StringBuilder script = new StringBuilder();
        List<String> switches = new ArrayList<>(SWITCHES);
        if (ranges.stream().anyMatch(cidr -> cidr.base().v6())) {
            switches.add(SWITCH_V6);
        }
        for (String file : switches) {
            script.append("[ ! -e %1$s ] || [ \"$(cat %1$s)\" = 1 ] || echo 1 > %1$s\n".formatted(file));
        }
        gone.forEach(cidr -> script.append(removal(cidr)));
        ranges.forEach(cidr -> script.append(ip(cidr) + " route replace " + cidr + " dev lo\n"));
        run(script.toString());
    }

    /** Takes the routes away; the switches stay, others may rely on them. */
    public void cleanup() throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        memory.routed().forEach(cidr -> script.append(removal(cidr)));
        run(script.toString());
        memory.routing(List.of());
    }

    private static String removal(Cidr cidr) {
        return "[ -z \"$(%1$s route show %2$s dev lo)\" ] || %1$s route del %2$s dev lo\n".formatted(ip(cidr), cidr);
    }

    private static String ip(Cidr cidr) {
        return cidr.base().v6() ? "ip -6" : "ip -4";
    }

    private void run(String script) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("sh", "-c", script));
        try {
            String said = new Program(command, LIMIT).run("", List.of()).said();
            if (!said.isBlank()) {
                log.warn("the host's network could not be prepared wholly: {}", said.strip());
            }
        } catch (IOException e) {
            log.warn("the host's network could not be prepared: {}", e.getMessage());
        }
    }
}
