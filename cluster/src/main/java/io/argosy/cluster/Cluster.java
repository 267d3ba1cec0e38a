package io.argosy.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.TypedClient;
import io.argosy.client.event.ApiEventRecorder;
import io.argosy.client.informer.SharedInformers;
import io.argosy.client.leader.LeaderElector;
import io.argosy.cluster.backup.Backup;
import io.argosy.cluster.bootstrap.Bootstrap;
import io.argosy.cluster.bootstrap.BootstrapHooks;
import io.argosy.cluster.encryption.Encryption;
import io.argosy.cluster.encryption.Rotation;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.cluster.pki.EphemeralKeys;
import io.argosy.cluster.pki.Pki;
import io.argosy.cluster.pki.TokenKeys;
import io.argosy.cluster.wire.Compaction;
import io.argosy.cluster.wire.LocalGateway;
import io.argosy.cluster.wire.LocalTransport;
import io.argosy.cluster.wire.LocalUsage;
import io.argosy.cluster.wire.ServedResources;
import io.argosy.cluster.wire.Stores;
import io.argosy.controllers.Controllers;
import io.argosy.controllers.certificates.CertificateSigner;
import io.argosy.node.agent.volume.RequestedTokens;
import io.argosy.node.provisioner.Disk;
import io.argosy.node.provisioner.FolderDisk;
import io.argosy.node.provisioner.LocalProvisioner;
import io.argosy.node.simulated.SimulatedDisks;
import io.argosy.node.simulated.SimulatedNodes;
import io.argosy.scheduler.Scheduler;
import io.argosy.server.ApiServer;
import io.argosy.server.audit.Audit;
import io.argosy.server.authn.Authenticator;
import io.argosy.server.authn.CertificateAuthenticator;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authz.BootstrapPolicy;
import io.argosy.server.authz.node.NodeIdentity;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpServer;
import io.argosy.server.presence.Presence;
import io.argosy.server.registry.Registry;
import io.argosy.server.rest.LocalApi;
import io.argosy.server.webhook.WebhookFaults;
import io.argosy.store.Store;
import io.argosy.store.StoreException;
import io.argosy.store.memory.MemoryLog;
import io.argosy.store.memory.MemoryStore;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A whole cluster in this process: API server, controllers, scheduler, and the nodes it was asked for.
 *
 * <p>{@link #close} stops the process's part and leaves containers running, to be taken over by the next start; {@link #stopPods} ends them.
 */
public final class Cluster implements AutoCloseable {
    private final ClusterConfig config;
    private final Surroundings around;
    private final Clock clock;
    private final Home home;
    private final LocalGateway gateway;
    private final Parts parts = new Parts();
    private Store store;
    private Encryption encryption;
    private ApiServer server;
    private List<ObjectNode> policy = List.of();
    private Pki pki;
    private String authorityPem;
    private CertificateSigner signer;
    private Certificates certificates;
    private Authenticator authenticator;
    private SharedInformers informers;
    private MachineNode node;
    private Disk machineDisk;
    private SimulatedNodes simulated;
    private LocalUsage usage;

    private Cluster(ClusterConfig config, Surroundings around, Home home) {
        this.config = config;
        this.around = around;
        this.clock = around.clock();
        this.gateway = new LocalGateway(clock);
        this.home = home;
    }

    public static ClusterBuilder builder() {
        return new ClusterBuilder();
    }

    /** Starts everything; returns when the API server is ready. What was said to the listener is for people to read. */
    static Cluster start(ClusterConfig config, Surroundings around) {
        Home home = around.memory().isPresent() ? null : Home.open(config.home());
        Cluster cluster = new Cluster(config, around, home);
        try {
            if (home == null) {
                cluster.startServerInMemory(around.memory().get());
            } else {
                cluster.startServer(around.progress());
            }
            cluster.startLoops();
            cluster.server.start();
            cluster.startNodes(around.progress());
            cluster.storePolicy();
            return cluster;
        } catch (RuntimeException | IOException failed) {
            cluster.close();
            throw explained(failed);
        }
    }

    private static RuntimeException explained(Exception failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return switch (cause) {
            case HomeException known -> known;
            case StoreException known -> new HomeException(known.getMessage(), known);
            case IOException io -> new HomeException(String.valueOf(io.getMessage()), io);
            case RuntimeException other -> other;
            default -> new IllegalStateException(cause);
        };
    }

    private void startServer(Consumer<String> progress) throws IOException {
        Executor beside = task -> Thread.ofPlatform().daemon().name("start").start(task);
        if (config.etcd() != null) {
            keep(Stores.lock(home));
        }
        CompletableFuture<Store> opening = CompletableFuture.supplyAsync(this::openStore, beside);
        CompletableFuture<Pki> keys = CompletableFuture.supplyAsync(this::openPki, beside);
        CompletableFuture<List<X509Certificate>> proxies = keys.thenApply(this::proxyAuthorities);
        CompletableFuture<Certificates> tls =
                proxies.thenApply(known -> new Certificates(home, keys.join(), known, this::embedder, clock));
        Bootstrap bootstrap = openServer(
                opening.join(),
                new Credentials(
                        () -> keys.join().tokenKeys().ring(),
                        () -> keys.join().authorityPem(),
                        config.authentication().tokens(clock)));
        certificates = keep(tls.join());
        authenticator =
                new CertificateAuthenticator(clock, config.authentication().proxies(proxies.join(), clock));
        server.listen(
                new InetSocketAddress(config.port()),
                config.address() + ":" + config.port(),
                certificates,
                authenticator,
                gateway);
        present(bootstrap, port());
        pki = keys.join();
        authorityPem = pki.authorityPem();
        signer = pki::sign;
        server.aggregation().identity(() -> pki.frontProxy(clock.now()));
        certificates.start(port());
        progress.accept("API server is listening on port " + port());
    }

    /** Without files or a port; whoever has this object reaches it through {@link #http}. */
    private void startServerInMemory(MemoryLog log) {
        EphemeralKeys keys = EphemeralKeys.shared();
        Bootstrap bootstrap =
                openServer(MemoryStore.open(log), new Credentials(keys::tokenKeys, keys::authorityPem, List.of()));
        authorityPem = keys.authorityPem();
        signer = keys::sign;
        present(bootstrap, config.port());
    }

    /** Tells pods where to find this server. */
    private void present(Bootstrap bootstrap, int port) {
        LocalApi api = server.local(Identities.of(Identities.SERVER));
        Presence presence = keep(new Presence(store, api, clock, config.address(), port));
        hook("bootstrap-controller", () -> {
                    bootstrap.kubernetesService(config.apiServiceAddress(), port);
                    presence.start();
                })
                .run();
    }

    private Runnable hook(String name, Runnable work) {
        return server.health().hook(name, work);
    }

    private Bootstrap openServer(Store opened, Credentials credentials) {
        store = keep(opened);
        Optional<Audit> audit = config.audit().map(this::openAudit);
        server = keep(new ApiServer(
                new ApiServer.Config(config.serviceCidr(), 30000, 32767, around.lot()), store, credentials, clock));
        audit.ifPresent(server::auditedBy);
        policy = BootstrapPolicy.load();
        server.authorizer().expect(policy);
        server.health()
                .vital("etcd", () -> Stores.reachable(store)) // whichever store it is: who asks knows this name
                .check("informer-sync", () -> informers != null);
        keep(Compaction.start(store, clock));
        Bootstrap bootstrap = new Bootstrap(server.local(Identities.of(Identities.SERVER)));
        hook("start-system-namespaces-controller", bootstrap::namespaces).run();
        hook("scheduling/bootstrap-system-priority-classes", bootstrap::priorityClasses)
                .run();
        bootstrap.storageClass();
        return bootstrap;
    }

    /** A cluster without files has no port at which another API server could ask back. */
    private void storePolicy() {
        BootstrapHooks hooks = keep(new BootstrapHooks(server, server.local(Identities.of(Identities.SERVER)), clock))
                .policy(policy)
                .own(config.serviceCidr());
        policy = List.of();
        if (pki != null) {
            hooks.extensionAuthentication(authorityPem, pki.frontProxyAuthorityPem());
        }
        hooks.start();
    }

    private Audit openAudit(Audit.Config how) {
        try {
            return keep(Audit.open(how, clock));
        } catch (IllegalArgumentException explained) {
            throw new HomeException(explained.getMessage(), explained);
        }
    }

    private Store openStore() {
        encryption = Encryption.open(home);
        Store opened = Stores.open(home, config.etcd(), encryption, clock);
        try {
            config.encrypt().ifPresent(encryption::encrypt);
            return opened;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private List<X509Certificate> proxyAuthorities(Pki opened) {
        List<X509Certificate> all = new ArrayList<>(config.authentication().proxyAuthorities());
        all.add(opened.frontProxyAuthority());
        return all;
    }

    private Pki openPki() {
        List<String> names = List.of(
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc." + config.clusterDomain(),
                "localhost");
        List<String> addresses = new ArrayList<>(List.of(config.apiServiceAddress(), "127.0.0.1", config.address()));
        return Pki.open(home, names, addresses.stream().distinct().toList(), clock.now());
    }

    /** Of several processes on one store, one runs the loops: the one that holds the lease that upstream's loops would hold. */
    private void startLoops() {
        informers = keep(newInformers());
        usage = new LocalUsage(informers.of(Pod.class), clock);
        server.measuredBy(usage);
        if (!store.shared()) {
            startLoops(informers, parts);
            return;
        }
        Parts leading = new Parts();
        LeaderElector elector = keep(new LeaderElector(
                client("system:kube-controller-manager"),
                clock,
                "kube-system",
                "kube-controller-manager",
                config.nodeName() + "_" + UUID.randomUUID(),
                LeaderElector.Timing.DEFAULT,
                new LeaderElector.Callbacks(() -> startLoops(leading.keep(newInformers()), leading), leading::close)));
        elector.start();
    }

    private SharedInformers newInformers() {
        return new SharedInformers(transport("system:informers"), clock);
    }

    /** Controllers and scheduler, which end with all that is kept there. */
    private void startLoops(SharedInformers on, Parts kept) {
        Controllers controllers = new Controllers(new Controllers.Ground(
                name -> client(Identities.controller(name)),
                name -> transport(Identities.controller(name)),
                on,
                clock,
                (name, component) -> kept.keep(events(component, "", Identities.controller(name))),
                new ServedResources(server),
                authorityPem,
                signer,
                config.loadBalancer()));
        controllers.start();
        Scheduler scheduler = new Scheduler(
                client("system:kube-scheduler"),
                on,
                name -> kept.keep(events(name, "", "system:kube-scheduler")),
                clock,
                config.profiles(),
                new SplittableRandom(around.lot().about("scheduler").nextLong()));
        scheduler.start();
        server.metrics().add(controllers);
        server.metrics().add(scheduler.metrics());
        kept.keep(() -> {
            server.metrics().remove(controllers);
            server.metrics().remove(scheduler.metrics());
            scheduler.close();
            controllers.close();
        });
    }

    private void startNodes(Consumer<String> progress) throws IOException {
        if (config.runtime() == ClusterConfig.Runtime.OCI) {
            HttpServer endpoint = keep(NodeDoor.open(config, server, certificates, authenticator, gateway));
            node = keep(new MachineNode(
                    config,
                    home,
                    new MachineNode.Ground(
                            client(NodeIdentity.PREFIX + config.nodeName()),
                            new RequestedTokens(new LocalTransport(
                                    server.local(Identities.of(NodeIdentity.PREFIX + config.nodeName())))),
                            new Bootstrap(server.local(Identities.of(Identities.SERVER))),
                            informers,
                            clock,
                            keep(events("kubelet", config.nodeName(), NodeIdentity.PREFIX + config.nodeName())),
                            endpoint.address().getPort())));
            node.start();
            machineDisk = new FolderDisk(home.volumes());
            gateway.add(config.nodeName(), node.streams(), node.pages());
            usage.machine(config.nodeName(), node.meter());
            progress.accept("Node " + config.nodeName() + " runs containers with runc");
        }
        if (config.simulatedNodes() > 0) {
            simulated = keep(new SimulatedNodes(
                    name -> client(NodeIdentity.PREFIX + name),
                    informers,
                    clock,
                    around.fleet(),
                    around.scene(),
                    keep(events("kubelet", "", NodeIdentity.PREFIX + "simulated"))));
            usage.simulated(simulated::reaches);
            simulated.start();
            progress.accept(config.simulatedNodes() + " simulated nodes");
        }
        String provisioner = Identities.controller("local-volume-provisioner");
        keep(new LocalProvisioner(
                        client(provisioner),
                        informers,
                        clock,
                        keep(events("argosy.io/local", "", provisioner)),
                        this::disk))
                .start();
        informers.start();
    }

    /** Where volumes of a node lie; nothing is known of nodes that other processes look after. */
    private Optional<Disk> disk(String name) {
        return node != null && name.equals(config.nodeName())
                ? Optional.of(machineDisk)
                : new SimulatedDisks(around.fleet()).apply(name);
    }

    /** Waits until every node of this process is Ready and, where there is one, DNS answers. */
    public void awaitReady() throws InterruptedException {
        informers.awaitSync();
        NodeReadiness.await(informers, config.simulatedNodes() + (node == null ? 0 : 1));
        if (node != null) {
            node.awaitReady();
        }
    }

    /** Ends all containers of this machine's node; their objects stay, and come back with the next start. */
    public void stopPods(Duration grace) throws InterruptedException, IOException {
        if (node != null) {
            node.stopPods(grace);
        }
    }

    /** The simulated nodes, if there are any. */
    public Optional<SimulatedNodes> simulatedNodes() {
        return Optional.ofNullable(simulated);
    }

    /** What answers the API's HTTP requests, for those who bring them without a network. */
    public HttpHandler http() {
        return server.handler(config.address() + ":" + config.port(), gateway);
    }

    /** All objects there are, and every change of them before its write is acknowledged. */
    public Registry registry() {
        return server.registry();
    }

    /** Where a test says which webhooks are to fail. */
    public WebhookFaults webhookFaults() {
        return server.webhookFaults();
    }

    /** Writes all that is needed to have this cluster again into one file; it goes on meanwhile. */
    public Backup.Summary backup(Path file) {
        return Backup.write(home, store, encryption, file, clock.now());
    }

    /** Encrypts what is encrypted in the store with a new key. */
    public Rotation.Summary rotateEncryptionKey() {
        return encryption.rotate(store);
    }

    /** The certificates of the server and of who comes to it; a cluster in memory has none. */
    public Certificates certificates() {
        return certificates;
    }

    /** The keys of service account tokens, to be changed while everything runs. */
    public TokenKeys tokenKeys() {
        return pki.tokenKeys();
    }

    public int port() {
        return server.address().getPort();
    }

    public Home home() {
        return home;
    }

    public ClusterConfig config() {
        return config;
    }

    /** A client for the embedding program, with all rights, that needs no network. */
    public Client client() {
        return new TypedClient(embedder(), Identities.EMBEDDER.name());
    }

    private ApiTransport embedder() {
        return new LocalTransport(server.local(Identities.EMBEDDER));
    }

    /** It owns fields under the name that the server gives to who it is. */
    private Client client(String user) {
        return new TypedClient(transport(user));
    }

    private ApiTransport transport(String user) {
        return around.transports().apply(user, new LocalTransport(server.local(Identities.of(user))));
    }

    private ApiEventRecorder events(String component, String host, String user) {
        return new ApiEventRecorder(client(user), component, host, clock);
    }

    private <T extends AutoCloseable> T keep(T part) {
        return parts.keep(part);
    }

    /** Ends this process's part, the last begun first. Containers go on running. */
    @Override
    public void close() {
        if (server != null) {
            server.health().closing();
        }
        parts.close();
    }
}
