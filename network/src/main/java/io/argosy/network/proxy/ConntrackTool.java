package io.argosy.network.proxy;

import io.argosy.api.net.Ip;
import io.argosy.network.proxy.UdpWays.Flow;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds and removes flows with the {@code conntrack} program; where it cannot be run, says so once and goes on. */
public final class ConntrackTool implements Conntrack {
    private static final Logger log = LoggerFactory.getLogger(ConntrackTool.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final String TUPLE = "src=(\\S+) dst=(\\S+) sport=(\\d+) dport=(\\d+)";

    /** A flow as it is listed: the way there, and the way back. */
    private static final Pattern LISTED = Pattern.compile("^udp .*?" + TUPLE + " .*?" + TUPLE);

    private final Program program;
    private boolean told;

    /** The command is a prefix, {@code conntrack} or {@code ip netns exec N conntrack}. */
    public ConntrackTool(List<String> command) {
        this.program = new Program(command, LIMIT);
    }

    /** All flows that were led from one place to another go with one run of the program. */
    private record Lead(Ip destination, int port, Target target) {}

    @Override
    public synchronized void keepTo(UdpWays ways) {
        if (ways.isEmpty()) {
            return;
        }
        String family = ways.family() == Family.IPV4 ? "ipv4" : "ipv6";
        try {
            Program.Result listed = program.run("", List.of("-L", "-f", family, "-p", "udp"));
            if (listed.status() != 0) {
                throw new IOException(listed.said().strip());
            }
            Set<Lead> leads = new LinkedHashSet<>();
            ways.stale(flows(listed.said()))
                    .forEach(flow -> leads.add(new Lead(flow.destination(), flow.port(), flow.target())));
            for (Lead lead : leads) {
                forget(family, lead);
            }
            told = false;
        } catch (IOException e) {
            if (!told) {
                log.warn(
                        "the conntrack program cannot be run ({}): UDP clients of an endpoint that goes away wait until"
                                + " the kernel forgets their flow; is the package conntrack installed?",
                        e.getMessage());
            }
            told = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static List<Flow> flows(String listed) {
        return listed.lines().map(ConntrackTool::flow).filter(Objects::nonNull).toList();
    }

    private static Flow flow(String line) {
        Matcher found = LISTED.matcher(line);
        return found.find()
                ? new Flow(
                        Ip.parse(found.group(1)),
                        Ip.parse(found.group(2)),
                        Integer.parseInt(found.group(4)),
                        new Target(Ip.parse(found.group(5)), Integer.parseInt(found.group(7))),
                        Ip.parse(found.group(6)))
                : null;
    }

    private void forget(String family, Lead lead) throws IOException, InterruptedException {
        Program.Result result = program.run(
                "",
                List.of(
                        "-D",
                        "-f",
                        family,
                        "-p",
                        "udp",
                        "--orig-dst",
                        lead.destination.toString(),
                        "--orig-port-dst",
                        String.valueOf(lead.port),
                        "--reply-src",
                        lead.target.ip().toString(),
                        "--reply-port-src",
                        String.valueOf(lead.target.port())));
        if (result.status() != 0 && !result.said().contains("0 flow entries have been deleted")) {
            log.warn("conntrack could not remove {}: {}", lead, result.said().strip());
        }
    }
}
