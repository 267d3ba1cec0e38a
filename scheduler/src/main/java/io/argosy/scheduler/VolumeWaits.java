package io.argosy.scheduler;

import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.scheduler.volume.Storage;
import io.argosy.scheduler.volume.VolumeLedger;
import io.argosy.scheduler.volume.VolumePlan;
import io.argosy.scheduler.volume.VolumeProgress;
import io.argosy.scheduler.volume.VolumeWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Pods that have a node but whose volumes are not bound yet: the plan is written, and the pod bound when the volume controllers have
 * done their part, or sent back when they could not. Belongs to the scheduling thread alone.
 */
final class VolumeWaits {
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final String PREFIX = "running PreBind plugin \"VolumeBinding\": ";

    private final VolumeWriter writer;
    private final Storage storage;
    private final VolumeLedger ledger;
    private final Clock clock;
    private final Thread thread;
    private final Map<String, Wait> waits = new HashMap<>();

    /** The scheduling thread, and those beside it that may block. */
    interface Thread {
        void tell(Runnable message);

        void beside(Runnable work);
    }

    private static final class Wait {
        private final VolumePlan plan;
        private final Runnable done;
        private final Consumer<String> failed;
        private VolumePlan written;
        private Clock.Timer timeout;

        Wait(VolumePlan plan, Runnable done, Consumer<String> failed) {
            this.plan = plan;
            this.done = done;
            this.failed = failed;
        }
    }

    VolumeWaits(Client client, Storage storage, VolumeLedger ledger, Clock clock, Thread thread) {
        writer = new VolumeWriter(client);
        this.storage = storage;
        this.ledger = ledger;
        this.clock = clock;
        this.thread = thread;
    }

    void begin(String podUid, VolumePlan plan, Runnable done, Consumer<String> failed) {
        Wait wait = new Wait(plan, done, failed);
        waits.put(podUid, wait);
        ledger.promise(plan);
        wait.timeout = clock.schedule(
                LONGEST, () -> thread.tell(() -> fail(podUid, wait, "binding volumes: context deadline exceeded")));
        thread.beside(() -> {
            try {
                VolumePlan written = writer.write(plan);
                thread.tell(() -> {
                    wait.written = written;
                    look(podUid, wait);
                });
            } catch (ApiException e) {
                thread.tell(() -> fail(podUid, wait, e.getMessage()));
            } catch (RuntimeException e) {
                thread.tell(() -> fail(podUid, wait, e.toString()));
            }
        });
    }

    /** Something about storage has changed. */
    void look() {
        if (!waits.isEmpty()) {
            List.copyOf(waits.entrySet()).forEach(entry -> look(entry.getKey(), entry.getValue()));
        }
    }

    /** The pod is gone, or bound. */
    void end(String podUid) {
        Wait wait = waits.remove(podUid);
        if (wait != null) {
            wait.timeout.cancel();
            ledger.release(wait.plan);
        }
    }

    private void look(String podUid, Wait wait) {
        if (wait.written == null || waits.get(podUid) != wait) {
            return;
        }
        switch (VolumeProgress.of(wait.written, storage)) {
            case VolumeProgress.Done() -> {
                end(podUid);
                wait.done.run();
            }
            case VolumeProgress.Failed(var why) -> fail(podUid, wait, "binding volumes: " + why);
            case VolumeProgress.UnderWay() -> {}
        }
    }

    private void fail(String podUid, Wait wait, String why) {
        if (waits.get(podUid) == wait) {
            end(podUid);
            wait.failed.accept(PREFIX + why);
        }
    }
}
