package io.argosy.client.leader;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets one of several processes lead, by holding a Lease. Other holders are judged by when this process saw their lease change,
 * never by their clocks; who cannot renew in time steps down before anybody else may step up.
 */
public final class LeaderElector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElector.class);

    private final Resources<Lease> leases;
    private final Clock clock;
    private final String namespace;
    private final String name;
    private final String identity;
    private final Timing timing;
    private final Callbacks callbacks;
    private volatile boolean leading;
    private Thread runner;
    private Attempt renewal;
    private LeaseSpec observed;
    private Instant observedAt = Instant.MIN;

    /** How long a lease counts, how long its holder tries to renew it, and how often. */
    public record Timing(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod) {
        /** As the controllers of Kubernetes do it: 15, 10 and 2 seconds. */
        public static final Timing DEFAULT =
                new Timing(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));
    }

    /** What to do on gaining and on losing the lead; called in turn, from the elector's thread, and must return soon. */
    public record Callbacks(Runnable started, Runnable lost) {}

    /**
     * One candidate for a lease.
     *
     * @param name of the Lease object, the same for all who compete
     * @param identity of this process, different from all others'
     */
    public LeaderElector(
            Client client,
            Clock clock,
            String namespace,
            String name,
            String identity,
            Timing timing,
            Callbacks callbacks) {
        leases = client.resources(Lease.class);
        this.clock = clock;
        this.namespace = namespace;
        this.name = name;
        this.identity = identity;
        this.timing = timing;
        this.callbacks = callbacks;
    }

    /** Whether this process has the lead, as far as it knows. */
    public boolean leading() {
        return leading;
    }

    /** Begins to try for the lead, and goes on until closed. */
    public synchronized void start() {
        if (runner == null) {
            clock.hold(); // but for its sleeps it is always at work
            runner = Thread.ofVirtual().name("leader-" + name).start(this::run);
        }
    }

    /** Gives the lease back, if held, so that another need not wait for it to run out. */
    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            last = runner;
        }
        if (last == null) {
            return;
        }
        last.interrupt();
        try {
            last.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (true) {
                while (!tryToHold()) {
                    clock.sleep(timing.retryPeriod());
                }
                try {
                    lead();
                } catch (RuntimeException e) {
                    LOG.error("{} could not lead {}", identity, name, e);
                    release();
                    clock.sleep(timing.retryPeriod());
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{} no longer stands for {}", identity, name);
        } finally {
            clock.release();
        }
    }

    private void lead() throws InterruptedException {
        LOG.info("{} leads {}", identity, name);
        leading = true;
        boolean stopped = false;
        try {
            callbacks.started().run();
            renewWhilePossible();
            LOG.warn("{} lost {}", identity, name);
        } catch (InterruptedException e) {
            stopped = true;
            throw e;
        } finally {
            leading = false;
            callbacks.lost().run();
            if (renewal != null) {
                renewal.end();
            }
            if (stopped) {
                release();
            }
        }
    }

    /** Returns when the lease is another's, or has not been renewed for as long as is safe, though an attempt may still hang. */
    private void renewWhilePossible() throws InterruptedException {
        Instant renewed = clock.now();
        while (clock.now().isBefore(renewed.plus(timing.renewDeadline()))) {
            clock.sleep(timing.retryPeriod());
            Instant before = clock.now();
            renewal = new Attempt(clock, "renewal-" + name, this::tryToHold);
            Optional<Boolean> held = renewal.within(Duration.between(before, renewed.plus(timing.renewDeadline())));
            if (held.isPresent() && held.get()) {
                renewed = before;
            } else if (held.isEmpty() || heldByOther()) {
                return;
            }
        }
    }

    private boolean heldByOther() {
        return observed != null
                && observed.getHolderIdentity() != null
                && !observed.getHolderIdentity().isEmpty()
                && !observed.getHolderIdentity().equals(identity);
    }

    private boolean tryToHold() {
        try {
            Optional<Lease> found = leases.find(namespace, name);
            ZonedDateTime now = clock.now().atZone(ZoneOffset.UTC);
            if (found.isEmpty()) {
                observe(leases.create(lease(now, now, 0)).getSpec());
                return true;
            }
            Lease lease = found.get();
            observe(lease.getSpec());
            boolean mine = identity.equals(observed.getHolderIdentity());
            if (heldByOther()
                    && clock.now().isBefore(observedAt.plusSeconds(orZero(observed.getLeaseDurationSeconds())))) {
                return false;
            }
            int transitions = orZero(observed.getLeaseTransitions());
            Lease wanted = mine ? lease(observed.getAcquireTime(), now, transitions) : lease(now, now, transitions + 1);
            wanted.setMetadata(lease.getMetadata());
            observe(leases.update(wanted).getSpec());
            return true;
        } catch (ApiException e) {
            if (!e.is(Reason.Conflict) && !e.is(Reason.AlreadyExists)) {
                LOG.warn("{} cannot reach the lease {}: {}", identity, name, e.getMessage());
            }
            return false;
        } catch (RuntimeException e) {
            LOG.warn("{} cannot reach the lease {}: {}", identity, name, e.toString());
            return false;
        }
    }

    private static int orZero(Integer number) {
        return number == null ? 0 : number;
    }

    private void observe(LeaseSpec spec) {
        if (!Objects.equals(observed, spec)) {
            observed = spec;
            observedAt = clock.now();
        }
    }

    private void release() {
        try {
            Lease lease = leases.get(namespace, name);
            if (identity.equals(lease.getSpec().getHolderIdentity())) {
                lease.getSpec().setHolderIdentity("");
                lease.getSpec().setLeaseDurationSeconds(1);
                lease.getSpec().setRenewTime(clock.now().atZone(ZoneOffset.UTC));
                leases.update(lease);
            }
        } catch (RuntimeException e) {
            LOG.warn("{} could not give {} back; it will run out: {}", identity, name, e.toString());
        }
    }

    private Lease lease(ZonedDateTime acquired, ZonedDateTime renewed, int transitions) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(identity)
                .withLeaseDurationSeconds((int) timing.leaseDuration().toSeconds())
                .withAcquireTime(acquired)
                .withRenewTime(renewed)
                .withLeaseTransitions(transitions)
                .endSpec()
                .build();
    }
}
