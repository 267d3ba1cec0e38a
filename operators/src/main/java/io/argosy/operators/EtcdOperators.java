package io.argosy.operators;

import io.argosy.operators.backup.EtcdBackupReconciler;
import io.argosy.operators.cluster.EtcdClusterReconciler;
import io.argosy.operators.cluster.EtcdClusterReconciler.Pace;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.restore.EtcdRestoreReconciler;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * The operators in this process, from {@link #start} to {@link #close}. What they need from outside comes in here: the API, etcd, the time
 * and chance.
 */
public final class EtcdOperators implements AutoCloseable {
    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LAST_RETRY = Duration.ofSeconds(15);

    private final Operator operator;
    private final Tally tally;
    private final AtomicBoolean closing;
    private final List<DefinitionGuard> guards;

    private EtcdOperators(Operator operator, Tally tally, AtomicBoolean closing, List<DefinitionGuard> guards) {
        this.operator = operator;
        this.tally = tally;
        this.closing = closing;
        this.guards = guards;
    }

    /**
     * Which of several copies of the same program works; the others wait for its lease to run out.
     *
     * @param lost what to do when another copy works by now: what this one has begun cannot be taken back, so that it had better end
     */
    public record Lease(String name, String namespace, String identity, Runnable lost) {}

    /**
     * What one runs with.
     *
     * @param image of these operators, for the pods in which they work on volumes
     * @param lease null if there is but one copy
     */
    public record Setting(
            KubernetesClient client,
            Etcd etcd,
            InstantSource clock,
            RandomGenerator random,
            Pace pace,
            String image,
            Lease lease) {}

    public static EtcdOperators start(Setting setting, Set<Program> programs) {
        Tally tally = new Tally();
        AtomicBoolean closing = new AtomicBoolean();
        Operator operator = new Operator(configuration -> {
            configuration
                    .withKubernetesClient(setting.client)
                    .withCloseClientOnStop(false)
                    .checkingCRDAndValidateLocalModel(false)
                    .withMetrics(tally)
                    .withReconciliationTerminationTimeout(Duration.ofSeconds(10))
                    .withExecutorService(Executors.newVirtualThreadPerTaskExecutor());
            if (setting.lease != null) {
                configuration.withLeaderElectionConfiguration(
                        LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(setting.lease.name)
                                .withLeaseNamespace(setting.lease.namespace)
                                .withIdentity(setting.lease.identity)
                                .withLeaderCallbacks(new LeaderCallbacks(
                                        () -> {},
                                        () -> {
                                            if (!closing.get()) {
                                                setting.lease.lost.run();
                                            }
                                        },
                                        leader -> {}))
                                .buildForTest(false)); // else a program that is being ended would wait for its own exit
            }
        });
        List<Definitions> definitions = programs.stream()
                .flatMap(program -> program.definitions().stream())
                .distinct()
                .toList();
        definitions.forEach(definition -> definition.install(setting.client));
        for (Program program : programs) {
            register(operator, program.reconciler(setting));
        }
        operator.start();
        return new EtcdOperators(
                operator,
                tally,
                closing,
                definitions.stream()
                        .map(definition -> DefinitionGuard.start(setting.client, definition))
                        .toList());
    }

    private static <T extends HasMetadata> void register(Operator operator, Reconciler<T> reconciler) {
        operator.register(
                reconciler,
                controller -> controller.withRetry(new GenericRetry()
                        .setInitialInterval(FIRST_RETRY)
                        .setIntervalMultiplier(1.5)
                        .setMaxInterval(LAST_RETRY.toMillis())
                        .withoutMaxAttempts()));
    }

    /** Whether everything that is to be watched is watched. */
    boolean areHealthy() {
        return operator.getRuntimeInfo().isStarted()
                && operator.getRuntimeInfo().allEventSourcesAreHealthy();
    }

    /** What was done so far, in the text form of Prometheus. */
    String metrics() {
        return tally.text();
    }

    /** Ends all loops, each after the step it is in. */
    @Override
    public void close() {
        closing.set(true);
        guards.forEach(DefinitionGuard::close);
        operator.stop();
    }

    /** The operators, each of which can run alone. */
    public enum Program {
        CLUSTER {
            @Override
            List<Definitions> definitions() {
                return List.of(Definitions.CLUSTERS);
            }

            @Override
            Reconciler<? extends HasMetadata> reconciler(Setting setting) {
                return new EtcdClusterReconciler(
                        setting.client, setting.etcd, setting.clock, setting.random, setting.pace);
            }
        },
        BACKUP {
            @Override
            List<Definitions> definitions() {
                return List.of(Definitions.BACKUPS);
            }

            @Override
            Reconciler<? extends HasMetadata> reconciler(Setting setting) {
                return new EtcdBackupReconciler(
                        setting.client, setting.etcd, setting.clock, setting.image, setting.pace.calm());
            }
        },
        RESTORE {
            /** It watches the clusters too. */
            @Override
            List<Definitions> definitions() {
                return List.of(Definitions.CLUSTERS, Definitions.RESTORES);
            }

            @Override
            Reconciler<? extends HasMetadata> reconciler(Setting setting) {
                return new EtcdRestoreReconciler(
                        setting.client, setting.clock, setting.random, setting.image, setting.pace.calm());
            }
        };

        abstract List<Definitions> definitions();

        abstract Reconciler<? extends HasMetadata> reconciler(Setting setting);
    }
}
