package io.argosy.network.proxy;

import io.argosy.api.net.Cidr;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final List<String> SWITCHES = List.of(
            "/proc/sys/net/ipv4/ip_forward",
            "/proc/sys/net/bridge/bridge-nf-call-iptables",
            "/proc/sys/net/bridge/bridge-nf-call-ip6tables");
    private static final String SWITCH_V6 = "/proc/sys/net/ipv6/conf/all/forwarding";

    private final List<String> prefix;
    private final List<Cidr> serviceCidrs;

    /** The prefix goes before every command: empty, or {@code ip netns exec N}. */
    public HostNetwork(ProxyConfig config, List<String> prefix) {
        this.serviceCidrs = config.serviceCidrs();
        this.prefix = List.copyOf(prefix);
    }

    /** Switches on what is off; what cannot be done is warned about, not fatal. */
    public void prepare() throws InterruptedException {
        StringBuilder script = new StringBuilder();
        List<String> switches = new ArrayList<>(SWITCHES);
        if (serviceCidrs.stream().anyMatch(cidr -> cidr.base().v6())) {
            switches.add(SWITCH_V6);
        }
        for (String file : switches) {
            script.append("[ ! -e %1$s ] || [ \"$(cat %1$s)\" = 1 ] || echo 1 > %1$s\n".formatted(file));
        }
        serviceCidrs.forEach(cidr -> script.append(ip(cidr) + " route replace " + cidr + " dev lo\n"));
        run(script.toString());
    }

    /** Takes the routes away; the switches stay, others may rely on them. */
    public void cleanup() throws InterruptedException {
        StringBuilder script = new StringBuilder();
        for (Cidr cidr : serviceCidrs) {
            script.append("[ -z \"$(%1$s route show %2$s dev lo)\" ] || %1$s route del %2$s dev lo\n"
                    .formatted(ip(cidr), cidr));
        }
        run(script.toString());
    }

    private static String ip(Cidr cidr) {
        return cidr.base().v6() ? "ip -6" : "ip -4";
    }

    private void run(String script) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("sh", "-c", script));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            if (!said.isBlank()) {
                log.warn("the host's network could not be prepared wholly: {}", said.strip());
            }
        } catch (IOException e) {
            log.warn("the host's network could not be prepared: {}", e.getMessage());
        }
    }
}
