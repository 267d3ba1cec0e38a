package io.argosy.cli;

import io.argosy.cluster.Authentication;
import io.argosy.cluster.home.Home;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a cluster, in the background unless asked otherwise, and waits until it can be used. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Start the cluster and wait until it is ready.",
        footer = {
            "",
            "With root on Linux, pods are real containers (runc); otherwise, or with --runtime simulated,",
            "pods exist as state only: they become Running and Ready, and nothing is executed.",
            "",
            "The state is kept in a database in the home. With --store it is kept in etcd instead, where several API servers on",
            "several machines may share it (they need the same keys: copy the home's folder pki), and where upstream Kubernetes",
            "finds it too. 'argosy store copy' moves it there. The next 'up' remembers the choice; --store sqlite goes back.",
            "",
            "  argosy up --store etcd=http://127.0.0.1:2379",
            "  argosy up --store etcd=https://10.0.0.1:2379,https://10.0.0.2:2379 \\",
            "     --etcd-ca ca.pem --etcd-cert me.pem --etcd-key me-key.pem --etcd-user argosy --etcd-password-file secret"
        })
final class UpCommand implements Callable<Integer> {
    enum RuntimeChoice {
        oci,
        simulated
    }

    @Mixin
    private HomeOption home;

    @Option(names = "--port", defaultValue = "6443", description = "Port of the API server (default: 6443, 0 for any).")
    private int port;

    @Option(names = "--runtime", description = "What runs the pods: oci (real containers) or simulated.")
    private RuntimeChoice runtime;

    @Option(names = "--simulated-nodes", paramLabel = "N", description = "Pretend to have N nodes.")
    private Integer simulatedNodes;

    @Option(names = "--no-node", description = "Control plane only; this machine runs no pods.")
    private boolean noNode;

    @Option(names = "--foreground", description = "Stay in the foreground, for service managers.")
    private boolean foreground;

    @Option(names = "--node-name", defaultValue = "", description = "Name of this machine's node (default: host name).")
    private String nodeName;

    @Option(
            names = "--pod-cidr",
            defaultValue = "10.244.0.0/24",
            description = "Addresses of pods, IPv4[,IPv6] (default: ${DEFAULT-VALUE}).")
    private String podCidr;

    @Option(
            names = "--service-cidr",
            defaultValue = "10.96.0.0/16",
            description = "Addresses of Services, IPv4[,IPv6] (default: ${DEFAULT-VALUE}).")
    private String serviceCidr;

    @Option(
            names = "--no-load-balancer",
            description = "Leave Services of type LoadBalancer to somebody else; else the nodes answer for them.")
    private boolean noLoadBalancer;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "Where the state is kept: sqlite (in the home) or etcd=URL[,URL...].")
    private String store;

    @Mixin
    private EtcdOptions etcd;

    @Option(
            names = "--token-auth-file",
            paramLabel = "FILE",
            description = "Tokens and whom they prove, a line each: token,user,uid,\"group1,group2\".")
    private Path tokenFile;

    @Option(
            names = "--authentication-config",
            paramLabel = "FILE",
            description = "Issuers of tokens (OpenID Connect): an AuthenticationConfiguration.")
    private Path configFile;

    @Option(
            names = "--requestheader-client-ca-file",
            paramLabel = "FILE",
            description = "Authorities of proxies before this server, which say in X-Remote-User and -Group who asks;"
                    + " beside the home's own (pki/front-proxy-ca.crt).")
    private Path proxyFile;

    @Option(
            names = "--requestheader-allowed-names",
            paramLabel = "NAMES",
            defaultValue = Authentication.OWN_PROXY,
            description = "Names of such proxies, with commas (default: ${DEFAULT-VALUE}); empty for any.")
    private String proxyNames;

    @Option(
            names = "--scheduler-config",
            paramLabel = "FILE",
            description = "How pods are placed, by their schedulerName: a KubeSchedulerConfiguration.")
    private Path schedulerConfig;

    @Mixin
    private NodeOptions node;

    @Mixin
    private ProtectionOptions protection;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Home opened = Home.open(home.path());
        Optional<Long> running = ControlSocket.ask(opened, "status", line -> {});
        if (running.isPresent()) {
            System.out.println(
                    "Argosy is already running (process " + running.get() + ", home " + opened.root() + ").");
            return 0;
        }
        boolean real = realContainers();
        if (real) {
            Packages.ensure();
        }
        StoreChoice kept = store == null ? StoreChoice.remembered(opened) : etcd.with(store);
        kept.etcd(); // says now what is wrong with it
        Settings settings = new Settings(
                opened.root(),
                port,
                real,
                simulatedNodes(real),
                nodeName,
                podCidr,
                serviceCidr,
                !noLoadBalancer,
                kept,
                new Authentication(
                        absolute(tokenFile), absolute(configFile), absolute(proxyFile), Settings.names(proxyNames)),
                absolute(schedulerConfig),
                protection.chosen(),
                node.chosen());
        if (foreground) {
            return Daemon.foreground(settings);
        }
        return background(opened, settings);
    }

    /** The daemon stands in another folder. */
    private static Optional<Path> absolute(Path file) {
        return Optional.ofNullable(file).map(path -> path.toAbsolutePath().normalize());
    }

    private boolean realContainers() {
        if (noNode) {
            return false;
        }
        boolean possible = Packages.isLinux() && Packages.isRoot();
        if (runtime == RuntimeChoice.oci && !possible) {
            throw new io.argosy.cluster.home.HomeException(
                    "Real containers need Linux and root: run as root, or with --runtime simulated.");
        }
        if (runtime == null && !possible) {
            System.out.println("Not root on Linux: pods will be simulated (state only, nothing is executed).");
        }
        return possible && runtime != RuntimeChoice.simulated;
    }

    private int simulatedNodes(boolean real) {
        if (simulatedNodes != null) {
            return simulatedNodes;
        }
        return real || noNode ? 0 : 1;
    }

    private static int background(Home home, Settings settings) throws IOException, InterruptedException {
        Process daemon = JavaCommand.daemon(settings, home).start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(daemon.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.equals(Daemon.READY)) {
                    welcome(home);
                    return 0;
                }
                if (line.startsWith(Daemon.FAILED)) {
                    System.err.println(line.substring(Daemon.FAILED.length()));
                    return 1;
                }
                System.out.println("  " + line);
            }
        }
        System.err.println(
                "Argosy ended before it was ready (exit code " + daemon.waitFor() + "); see " + home.logFile() + ".");
        return 1;
    }

    private static void welcome(Home home) {
        System.out.println("""
                Argosy is ready. Its kubeconfig is %s

                Try:
                  export KUBECONFIG=%s
                  kubectl get nodes
                  kubectl create deployment web --image=nginx:1.7.9 --replicas=3

                Images come from their registry. Where none can be reached, 'argosy image make --help' tells how to
                make one from Debian packages.""".formatted(home.kubeconfig(), home.kubeconfig()));
    }
}
