package io.argosy.node.agent.probe;

import io.argosy.api.time.Clock;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.runtime.ContainerRuntime;
import io.argosy.node.runtime.ExecResult;
import io.argosy.node.runtime.RuntimeFailure;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.TCPSocketAction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** The hands of probes and hooks: runs a command in a container, asks it over HTTP, TCP or gRPC. */
public final class Checks {
    private static final int MAX_OUTPUT = 10 * 1024;
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    private final ContainerRuntime runtime;
    private final Clock clock;

    public Checks(ContainerRuntime runtime, Clock clock) {
        this.runtime = runtime;
        this.clock = clock;
    }

    /** Runs a probe once; blocks at most for its timeout. */
    public CheckResult probe(Target target, Probe probe) {
        Duration timeout = bounded(Duration.ofSeconds(positive(probe.getTimeoutSeconds(), 1)));
        if (probe.getExec() != null) {
            return exec(target, target.expanded(probe.getExec().getCommand()), timeout);
        }
        if (probe.getHttpGet() != null) {
            return HttpCheck.probe(target, probe.getHttpGet(), timeout, clock);
        }
        if (probe.getTcpSocket() != null) {
            return tcp(target, probe.getTcpSocket(), timeout);
        }
        if (probe.getGrpc() != null) {
            return GrpcCheck.run(target, probe.getGrpc(), timeout, clock);
        }
        return CheckResult.errored(
                "missing probe handler for " + target.container().getName());
    }

    /** Runs a lifecycle hook to its end or its timeout, for a thread that holds the clock. */
    public CheckResult hook(Target target, LifecycleHandler hook, Duration limit) throws InterruptedException {
        Duration timeout = bounded(limit);
        if (hook.getExec() != null) {
            return execHook(target, hook.getExec().getCommand(), timeout);
        }
        if (hook.getHttpGet() != null) {
            return HttpCheck.hook(target, hook.getHttpGet(), timeout, clock);
        }
        if (hook.getSleep() != null && hook.getSleep().getSeconds() != null) {
            Duration asked = Duration.ofSeconds(hook.getSleep().getSeconds());
            clock.sleep(asked.compareTo(timeout) > 0 ? timeout : asked);
        }
        return CheckResult.OK;
    }

    /** What a hook's command said goes into the pod's status, where what a probe's said goes into an event. */
    private CheckResult execHook(Target target, List<String> command, Duration timeout) {
        try {
            ExecResult result = runtime.execSync(target.containerId(), command, timeout);
            String error = "command '" + String.join(" ", command) + "' exited with " + result.exitCode() + ": "
                    + new String(result.stderr(), StandardCharsets.UTF_8);
            return result.exitCode() == 0
                    ? CheckResult.OK
                    : CheckResult.failed(error + ", message: " + DownwardValues.quote(output(result)));
        } catch (RuntimeFailure e) {
            return CheckResult.failed(e.getMessage() + ", message: \"\"");
        }
    }

    private CheckResult exec(Target target, List<String> command, Duration timeout) {
        try {
            ExecResult result = runtime.execSync(target.containerId(), command, timeout);
            return result.exitCode() == 0 ? CheckResult.OK : CheckResult.failed(output(result));
        } catch (RuntimeFailure e) {
            if (e.kind() == RuntimeFailure.Kind.TIMEOUT) {
                return CheckResult.failed("command timed out: \"" + String.join(" ", command) + "\" timed out after "
                        + timeout.toSeconds() + "s");
            }
            return CheckResult.errored(e.getMessage());
        }
    }

    private static String output(ExecResult result) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(result.stdout());
        all.writeBytes(result.stderr());
        byte[] bytes = all.toByteArray();
        return new String(bytes, 0, Math.min(bytes.length, MAX_OUTPUT), StandardCharsets.UTF_8);
    }

    private CheckResult tcp(Target target, TCPSocketAction action, Duration limit) {
        OptionalInt port = target.port(action.getPort());
        if (port.isEmpty()) {
            return CheckResult.errored(Target.noPort(action.getPort()));
        }
        String host = action.getHost() == null || action.getHost().isEmpty() ? target.ip() : action.getHost();
        try (Deadline deadline = new Deadline(clock, limit);
                Socket socket = new Socket()) {
            try {
                deadline.connect(socket, new InetSocketAddress(host, port.getAsInt()));
                return CheckResult.OK;
            } catch (IOException | IllegalArgumentException e) {
                String timeout = "dial tcp " + Target.joined(host, port.getAsInt()) + ": i/o timeout";
                return CheckResult.failed(deadline.isCause() ? timeout : e.getMessage());
            }
        } catch (IOException e) {
            return CheckResult.failed(e.getMessage());
        }
    }

    /** No longer than a socket can wait, which is 24 days. */
    private static Duration bounded(Duration timeout) {
        return timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
    }

    static int positive(Integer value, int otherwise) {
        return value == null || value <= 0 ? otherwise : value;
    }
}
