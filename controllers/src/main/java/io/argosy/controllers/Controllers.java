package io.argosy.controllers;

import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import io.argosy.api.time.Clock;
import io.argosy.client.ApiTransport;
import io.argosy.client.Client;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.QueueMetrics;
import io.argosy.client.controller.WorkQueue;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.informer.Informers;
import io.argosy.controllers.autoscaler.AutoscalerReconciler;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.argosy.controllers.certificates.CertificateSigner;
import io.argosy.controllers.certificates.NodeApprover;
import io.argosy.controllers.certificates.RequestCleaner;
import io.argosy.controllers.certificates.SigningReconciler;
import io.argosy.controllers.clusterrole.AggregatedRoles;
import io.argosy.controllers.cronjob.CronJobReconciler;
import io.argosy.controllers.daemonset.DaemonSetReconciler;
import io.argosy.controllers.deployment.DeploymentReconciler;
import io.argosy.controllers.disruption.BudgetReconciler;
import io.argosy.controllers.disruption.StaleDisruptions;
import io.argosy.controllers.endpoints.EndpointsReconciler;
import io.argosy.controllers.endpointslice.EndpointSliceReconciler;
import io.argosy.controllers.endpointslicemirroring.MirrorReconciler;
import io.argosy.controllers.garbagecollector.GarbageCollector;
import io.argosy.controllers.job.JobReconciler;
import io.argosy.controllers.loadbalancer.LoadBalancerReconciler;
import io.argosy.controllers.namespace.NamespaceReconciler;
import io.argosy.controllers.nodelifecycle.NodeLifecycle;
import io.argosy.controllers.nodelifecycle.TaintEviction;
import io.argosy.controllers.podgc.PodCollector;
import io.argosy.controllers.quota.QuotaReconciler;
import io.argosy.controllers.replicaset.ReplicaReconciler;
import io.argosy.controllers.rootca.RootCaPublisher;
import io.argosy.controllers.serviceaccount.DefaultServiceAccounts;
import io.argosy.controllers.servicerange.AddressReconciler;
import io.argosy.controllers.servicerange.RangeReconciler;
import io.argosy.controllers.statefulset.StatefulSetReconciler;
import io.argosy.controllers.tokens.LegacyTokenCleaner;
import io.argosy.controllers.tokens.TokenCleaner;
import io.argosy.controllers.tokens.TokenSecrets;
import io.argosy.controllers.ttlafterfinished.FinishedJobs;
import io.argosy.controllers.volume.VolumeControllers;
import io.argosy.controllers.watch.ListWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All control loops of the cluster: built together, started and stopped together. */
public final class Controllers implements AutoCloseable, MetricSource {
    private static final Logger LOG = LoggerFactory.getLogger(Controllers.class);
    private static final String COLLECTOR = "garbage-collector-controller";

    /** Whose name the loop over service account tokens works under, and by which those are read for another, as upstream does. */
    public static final String MANAGER = "kube-controller-manager";

    private final Informers informers;
    private final Clock clock;
    private final List<Controller> controllers = new ArrayList<>();
    private final List<ListWatch> watches = new ArrayList<>();
    private final GarbageCollector garbageCollector;
    private Thread starter;

    /** How busy one loop is. */
    public record LoopStatus(String name, boolean idle, WorkQueue.Counts queue) {}

    /**
     * What the loops stand on.
     *
     * @param clients a client for each controller's identity, by the controller's name
     * @param transports the API for those who deal with kinds without a class, by the controller's name
     * @param events a recorder of events, by the controller's name and that of the component under which they are told
     * @param rootCaPem the certificates by which pods know the API server
     * @param signer has the authority's key
     * @param balancing whether the nodes answer for Services of type LoadBalancer
     */
    public record Ground(
            Function<String, Client> clients,
            Function<String, ApiTransport> transports,
            Informers informers,
            Clock clock,
            BiFunction<String, String, EventRecorder> events,
            ResourceCatalog catalog,
            String rootCaPem,
            CertificateSigner signer,
            boolean balancing) {

        private Client client(String name) {
            return clients.apply(name);
        }

        private ApiTransport transport(String name) {
            return transports.apply(name);
        }
    }

    public Controllers(Ground ground) {
        informers = ground.informers();
        clock = ground.clock();
        BiFunction<String, String, EventRecorder> events = ground.events();
        controllers.add(DeploymentReconciler.controller(
                ground.client("deployment-controller"),
                informers,
                clock,
                events.apply("deployment-controller", "deployment-controller")));
        controllers.add(ReplicaReconciler.ofReplicaSets(
                ground.client("replicaset-controller"),
                informers,
                clock,
                events.apply("replicaset-controller", "replicaset-controller")));
        controllers.add(ReplicaReconciler.ofReplicationControllers(
                ground.client("replication-controller"),
                informers,
                clock,
                events.apply("replication-controller", "replication-controller")));
        controllers.add(StatefulSetReconciler.controller(
                ground.client("statefulset-controller"),
                informers,
                clock,
                events.apply("statefulset-controller", "statefulset-controller")));
        controllers.add(DaemonSetReconciler.controller(
                ground.client("daemon-set-controller"),
                informers,
                clock,
                events.apply("daemon-set-controller", "daemonset-controller")));
        controllers.add(JobReconciler.controller(
                ground.client("job-controller"), informers, clock, events.apply("job-controller", "job-controller")));
        controllers.add(CronJobReconciler.controller(
                ground.client("cronjob-controller"),
                informers,
                clock,
                events.apply("cronjob-controller", "cronjob-controller")));
        controllers.add(FinishedJobs.controller(ground.client("ttl-after-finished-controller"), informers, clock));
        controllers.add(PodCollector.controller(ground.client("pod-garbage-collector"), informers, clock));
        controllers.add(NodeLifecycle.controller(
                ground.client("node-controller"),
                informers,
                clock,
                events.apply("node-controller", "node-controller")));
        controllers.add(TaintEviction.controller(
                ground.client("node-controller"),
                informers,
                clock,
                events.apply("node-controller", "taint-eviction-controller")));
        QuotaReconciler.Wired quotas = QuotaReconciler.wire(
                ground.client("resourcequota-controller"),
                ground.transport("resourcequota-controller"),
                ground.catalog(),
                informers,
                clock);
        controllers.add(quotas.controller());
        controllers.add(BudgetReconciler.controller(
                ground.client("disruption-controller"),
                ground.transport("disruption-controller"),
                ground.catalog(),
                informers,
                clock,
                events.apply("disruption-controller", "controllermanager")));
        controllers.add(AutoscalerReconciler.controller(
                ground.client("horizontal-pod-autoscaler"),
                ground.transport("horizontal-pod-autoscaler"),
                ground.catalog(),
                informers,
                clock,
                events.apply("horizontal-pod-autoscaler", "horizontal-pod-autoscaler")));
        controllers.add(StaleDisruptions.controller(ground.client("disruption-controller"), informers, clock));
        controllers.add(EndpointsReconciler.controller(
                ground.client("endpoint-controller"),
                informers,
                clock,
                events.apply("endpoint-controller", "endpoint-controller")));
        controllers.add(EndpointSliceReconciler.controller(
                ground.client("endpointslice-controller"),
                informers,
                clock,
                events.apply("endpointslice-controller", "endpoint-slice-controller")));
        controllers.add(MirrorReconciler.controller(
                ground.client("endpointslicemirroring-controller"),
                informers,
                clock,
                events.apply("endpointslicemirroring-controller", "endpoint-slice-mirroring-controller")));
        if (ground.balancing()) {
            controllers.add(LoadBalancerReconciler.controller(
                    ground.client("service-controller"),
                    informers,
                    clock,
                    events.apply("service-controller", "service-controller")));
        }
        controllers.add(RangeReconciler.controller(ground.client("service-cidrs-controller"), informers, clock));
        controllers.add(AddressReconciler.controller(
                ground.client(AddressReconciler.NAME),
                informers,
                clock,
                events.apply(AddressReconciler.NAME, "ipallocator-repair-controller")));
        controllers.add(
                DefaultServiceAccounts.controller(ground.client("service-account-controller"), informers, clock));
        controllers.add(SigningReconciler.controller(
                ground.client("certificate-controller"), informers, clock, ground.signer()));
        controllers.add(NodeApprover.controller(ground.transport("certificate-controller"), informers, clock));
        controllers.add(RequestCleaner.controller(ground.client("certificate-controller"), informers, clock));
        NamespaceReconciler.Wired namespaces = NamespaceReconciler.wire(
                ground.client("namespace-controller"),
                ground.transport("namespace-controller"),
                informers,
                clock,
                ground.catalog());
        controllers.add(namespaces.controller());
        RootCaPublisher.Wired rootCa = RootCaPublisher.wire(
                ground.client("root-ca-cert-publisher"),
                ground.transport("root-ca-cert-publisher"),
                informers,
                clock,
                ground.rootCaPem());
        controllers.add(rootCa.controller());
        watches.add(rootCa.watch());
        AggregatedRoles.Wired roles =
                AggregatedRoles.wire(ground.transport("clusterrole-aggregation-controller"), informers, clock);
        controllers.add(roles.controller());
        watches.add(roles.watch());
        TokenCleaner.Wired cleaner =
                TokenCleaner.wire(ground.client("token-cleaner"), ground.transport("token-cleaner"), informers, clock);
        controllers.add(cleaner.controller());
        watches.add(cleaner.watch());
        TokenSecrets.Wired secrets =
                TokenSecrets.wire(ground.client(MANAGER), ground.transport(MANAGER), informers, clock);
        controllers.add(secrets.controller());
        watches.add(secrets.watch());
        LegacyTokenCleaner.Wired unused = LegacyTokenCleaner.wire(
                ground.client(LegacyTokenCleaner.NAME), ground.transport(MANAGER), informers, clock);
        controllers.add(unused.controller());
        watches.add(unused.watch());
        controllers.addAll(VolumeControllers.all(ground.clients(), informers, clock, events));
        garbageCollector = new GarbageCollector(
                ground.transport("generic-garbage-collector"),
                ground.catalog(),
                clock,
                events.apply("generic-garbage-collector", COLLECTOR),
                namespaces.somethingGone().andThen(quotas.somethingGone()));
    }

    /** Starts all loops; returns at once. The collector watches every kind and so waits until the others have what they need. */
    public synchronized void start() {
        informers.start();
        controllers.forEach(Controller::start);
        watches.forEach(ListWatch::start);
        clock.hold();
        starter = Thread.ofVirtual().name("controllers-start").start(() -> {
            try {
                informers.awaitSync();
                garbageCollector.start();
            } catch (InterruptedException e) {
                LOG.debug("controllers closed before they had started");
            } finally {
                clock.release();
            }
        });
    }

    /** True when no loop has work, delayed work aside. */
    public boolean idle() {
        return garbageCollector.idle() && controllers.stream().allMatch(Controller::idle);
    }

    public List<LoopStatus> status() {
        List<LoopStatus> all = new ArrayList<>();
        for (Controller controller : controllers) {
            all.add(new LoopStatus(
                    controller.name(), controller.idle(), controller.queue().counts()));
        }
        all.add(new LoopStatus(
                COLLECTOR, garbageCollector.idle(), garbageCollector.queue().counts()));
        return all;
    }

    @Override
    public void writeTo(Exposition page) {
        Map<String, WorkQueue<?>> queues = new TreeMap<>();
        controllers.forEach(controller -> queues.put(controller.name(), controller.queue()));
        queues.put(COLLECTOR, garbageCollector.queue());
        QueueMetrics.write(page, queues);
    }

    @Override
    public synchronized void close() {
        if (starter != null) {
            starter.interrupt();
        }
        watches.forEach(ListWatch::close);
        garbageCollector.close();
        controllers.forEach(Controller::close);
    }
}
