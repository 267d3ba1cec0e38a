package io.argosy.network.proxy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * A small real network in namespaces of its own: a router that stands for the node, and pods on a bridge behind it, as the CNI
 * bridge plugin lays them out. Everything in it goes with {@link #close}.
 */
final class TestNetwork {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String prefix = "argosy-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    private final List<String> namespaces = new ArrayList<>();
    private final List<Process> servers = new ArrayList<>();
    final String node = prefix + "-node";

    /** Skips the test with a line where the machine cannot do it. */
    static void requirePrograms(String... programs) {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: needs root for network namespaces");
        for (String program : programs) {
            assumeTrue(
                    Arrays.stream((System.getenv("PATH") + ":/usr/sbin:/sbin").split(":"))
                            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
                    "skipped: the program " + program + " is not installed");
        }
    }

    static void requireSctp() {
        assumeTrue(Files.exists(Path.of("/proc/net/sctp")), "skipped: this kernel has no SCTP (CONFIG_IP_SCTP)");
    }

    TestNetwork() throws Exception {
        namespace(node);
        in(node, "ip", "link", "add", "br0", "type", "bridge");
        in(node, "ip", "addr", "add", "10.244.0.1/24", "dev", "br0");
        in(node, "ip", "addr", "add", "fd00:10:244::1/64", "dev", "br0", "nodad");
        in(node, "ip", "link", "set", "br0", "up");
        in(node, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1");
    }

    /** A machine outside the cluster: 192.168.77.2, the node is 192.168.77.1 to it. */
    String outsider() throws Exception {
        String name = prefix + "-outside";
        namespace(name);
        in(node, "ip", "link", "add", "out0", "type", "veth", "peer", "name", "eth0", "netns", name);
        in(node, "ip", "addr", "add", "192.168.77.1/24", "dev", "out0");
        in(node, "ip", "addr", "add", "fd00:77::1/64", "dev", "out0", "nodad");
        in(node, "ip", "link", "set", "out0", "up");
        in(name, "ip", "addr", "add", "192.168.77.2/24", "dev", "eth0");
        in(name, "ip", "addr", "add", "fd00:77::2/64", "dev", "eth0", "nodad");
        in(name, "ip", "link", "set", "eth0", "up");
        in(name, "ip", "route", "add", "default", "via", "192.168.77.1");
        in(name, "ip", "-6", "route", "add", "default", "via", "fd00:77::1");
        in(node, "ip", "-6", "route", "add", "default", "via", "fd00:77::2");
        in(node, "ip", "route", "add", "default", "via", "192.168.77.2");
        return name;
    }

    /** A pod with the address 10.244.0.n; the name of its namespace. */
    String pod(int n) throws Exception {
        String name = prefix + "-pod" + n;
        namespace(name);
        String port = "veth" + n;
        in(node, "ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name);
        in(node, "ip", "link", "set", port, "master", "br0", "up");
        in(node, "ip", "link", "set", port, "type", "bridge_slave", "hairpin", "on");
        in(name, "ip", "addr", "add", "10.244.0." + n + "/24", "dev", "eth0");
        in(name, "ip", "addr", "add", "fd00:10:244::" + n + "/64", "dev", "eth0", "nodad");
        in(name, "ip", "link", "set", "eth0", "up");
        in(name, "ip", "route", "add", "default", "via", "10.244.0.1");
        in(name, "ip", "-6", "route", "add", "default", "via", "fd00:10:244::1");
        return name;
    }

    /** Serves a text to every TCP connection on the port. */
    void serve(String namespace, int port, String text) throws Exception {
        start(namespace, "ncat", "-lk", "-p", String.valueOf(port), "-c", "echo " + text + " from $NCAT_REMOTE_ADDR");
        awaitListening(namespace, "-tl", port);
    }

    /** The same over SCTP. */
    void serveSctp(String namespace, int port, String text) throws Exception {
        start(namespace, "ncat", "--sctp", "-lk", "-p", String.valueOf(port), "-c", "echo " + text);
        await(namespace, Pattern.compile(" " + port + " "), "cat", "/proc/net/sctp/eps");
    }

    /** Answers every UDP datagram on the port with a text. */
    void serveUdp(String namespace, int port, String text) throws Exception {
        start(namespace, "ncat", "-4ulk", "-p", String.valueOf(port), "-c", "read x; echo " + text);
        awaitListening(namespace, "-ul", port);
    }

    private void start(String namespace, String... command) throws IOException {
        servers.add(new ProcessBuilder(inside(namespace, command))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    private void awaitListening(String namespace, String kind, int port) throws Exception {
        await(namespace, Pattern.compile(":" + port + " "), "ss", "-n", kind);
    }

    private void await(String namespace, Pattern sign, String... command) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!sign.matcher(in(namespace, command)).find()) {
            if (System.nanoTime() > end) {
                throw new IOException(
                        "in vain waited for " + sign + " in " + namespace + ": " + in(namespace, command));
            }
        }
    }

    /** Sends every TCP connection on the port back what it says. */
    void serveEcho(String namespace, int port) throws Exception {
        start(namespace, "ncat", "-lk", "-p", String.valueOf(port), "-c", "cat");
        awaitListening(namespace, "-tl", port);
    }

    /** An open TCP connection from the namespace, to talk over line by line. */
    Process connect(String namespace, String address, int port) throws IOException {
        Process client = new ProcessBuilder(inside(namespace, "ncat", address, String.valueOf(port)))
                .redirectErrorStream(true)
                .start();
        servers.add(client);
        return client;
    }

    /** What a TCP client in the namespace reads from the address; empty if it is refused or times out. */
    String get(String namespace, String address, int port) throws Exception {
        return run(inside(namespace, "ncat", "--recv-only", "-w", "2", address, String.valueOf(port)))
                .output()
                .strip();
    }

    /** The same from a certain port. */
    String getFrom(String namespace, int from, String address, int port) throws Exception {
        return run(inside(
                        namespace,
                        "ncat",
                        "--recv-only",
                        "-w",
                        "2",
                        "-p",
                        String.valueOf(from),
                        address,
                        String.valueOf(port)))
                .output()
                .strip();
    }

    String getSctp(String namespace, String address, int port) throws Exception {
        return run(inside(namespace, "ncat", "--sctp", "--recv-only", "-w", "5", address, String.valueOf(port)))
                .output()
                .strip();
    }

    /** How a TCP connection that is not accepted fails, in ncat's words. */
    String refusal(String namespace, String address, int port) throws Exception {
        return run(inside(namespace, "ncat", "-v", "--recv-only", "-w", "2", address, String.valueOf(port)))
                .output();
    }

    /** The answer to one datagram sent from a fixed source port. */
    String ask(String namespace, String address, int port, int from) throws Exception {
        return run(inside(
                        namespace,
                        "ncat",
                        "-u",
                        "-w",
                        "2",
                        "-p",
                        String.valueOf(from),
                        address,
                        String.valueOf(port),
                        "-c",
                        "echo hi; timeout 20 head -1 >&2"))
                .output()
                .strip();
    }

    /** Counts what comes in and matches. */
    void count(String namespace, String match) throws Exception {
        in(
                namespace,
                "nft",
                "add table inet seen; add chain inet seen in { type filter hook prerouting priority -300; };"
                        + " add rule inet seen in " + match + " counter");
    }

    /** Waits for the first packet that {@link #count} was told to count. */
    void awaitCounted(String namespace) throws Exception {
        await(namespace, Pattern.compile(" packets [1-9]"), "nft", "list", "table", "inet", "seen");
    }

    String in(String namespace, String... command) throws Exception {
        Result result = run(inside(namespace, command));
        if (result.status() != 0) {
            throw new IOException(String.join(" ", command) + ": " + result.output());
        }
        return result.output();
    }

    static String[] inside(String namespace, String... command) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        all.addAll(List.of(command));
        return all.toArray(String[]::new);
    }

    private void namespace(String name) throws Exception {
        check("ip", "netns", "add", name);
        namespaces.add(name);
        in(
                name,
                "sysctl",
                "-qw",
                "net.ipv6.conf.default.accept_dad=0"); // else IPv6 neighbours answer only after a second
        in(name, "ip", "link", "set", "lo", "up");
    }

    record Result(int status, String output) {}

    private static Result run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }

    private static void check(String... command) throws Exception {
        Result result = run(command);
        if (result.status() != 0) {
            throw new IOException(String.join(" ", command) + ": " + result.output());
        }
    }

    void close() throws Exception {
        for (Process server : servers) {
            server.descendants().forEach(ProcessHandle::destroyForcibly);
            server.destroyForcibly().waitFor();
        }
        for (String name : namespaces) {
            check("ip", "netns", "delete", name);
        }
    }
}
