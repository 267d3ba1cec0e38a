package io.argosy.network.proxy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes flows with the {@code conntrack} program; where it is not installed, says so once and goes on. */
public final class ConntrackTool implements Conntrack {
    private static final Logger log = LoggerFactory.getLogger(ConntrackTool.class);

    private final List<String> command;
    private boolean missing;

    /** The command is a prefix, {@code conntrack} or {@code ip netns exec N conntrack}. */
    public ConntrackTool(List<String> command) {
        this.command = List.copyOf(command);
    }

    @Override
    public synchronized void forget(List<StaleFlow> flows) {
        for (StaleFlow flow : flows) {
            if (missing) {
                return;
            }
            forget(flow);
        }
    }

    private void forget(StaleFlow flow) {
        List<String> line = new ArrayList<>(command);
        line.addAll(List.of("-D", "-f", flow.family(), "-p", "udp", "--orig-port-dst", String.valueOf(flow.port())));
        if (!flow.destination().isEmpty()) {
            line.addAll(List.of("--orig-dst", flow.destination()));
        }
        if (!flow.endpoint().isEmpty()) {
            line.addAll(List.of("--dst-nat", flow.endpoint()));
        }
        try {
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                log.warn("conntrack did not end within 10 s: {}", line);
            } else if (process.exitValue() != 0 && !said.contains("0 flow entries have been deleted")) {
                log.warn("conntrack could not remove {}: {}", flow, said.strip());
            }
        } catch (IOException e) {
            missing = true;
            log.warn(
                    "the conntrack program cannot be run ({}): UDP clients of an endpoint that goes away wait until"
                            + " the kernel forgets their flow; install the package conntrack",
                    e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
