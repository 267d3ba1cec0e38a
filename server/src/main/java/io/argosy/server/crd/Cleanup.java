package io.argosy.server.crd;

import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.DeleteOptions;
import io.argosy.server.registry.ResourceStore;
import io.argosy.server.registry.WriteOptions;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Deletes the objects of a resource whose definition goes, on a thread of its own: other definitions need not wait for that. Nobody is asked
 * whether they may go, since those who would say no may have gone themselves; what fails is tried again.
 */
final class Cleanup {
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

    private final ResourceStore objects;
    private final WriteOptions options;
    private final Clock clock;
    private final Consumer<String> failed;
    private final Runnable done;
    private volatile boolean finished;
    private Thread thread;

    /**
     * What is to be done.
     *
     * @param failed told what went wrong in each round that did not succeed
     * @param done called when every object has been told to go; those with finalizers may still be there
     */
    Cleanup(ResourceStore objects, WriteOptions options, Clock clock, Consumer<String> failed, Runnable done) {
        this.objects = objects;
        this.options = options;
        this.clock = clock;
        this.failed = failed;
        this.done = done;
    }

    void start() {
        clock.hold();
        thread = Thread.ofVirtual().name("custom-resource-cleanup").start(() -> {
            try {
                run();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            } finally {
                clock.release();
            }
        });
    }

    private void run() throws InterruptedException {
        Duration delay = FIRST_DELAY;
        Set<String> errors = deleteAll();
        while (!errors.isEmpty()) {
            failed.accept(errors.size() == 1 ? errors.iterator().next() : "[" + String.join(", ", errors) + "]");
            clock.sleep(delay);
            delay = delay.multipliedBy(2).compareTo(LONGEST_DELAY) < 0 ? delay.multipliedBy(2) : LONGEST_DELAY;
            errors = deleteAll();
        }
        finished = true;
        done.run();
    }

    private Set<String> deleteAll() {
        Set<String> errors = new LinkedHashSet<>();
        for (CachedObject object : objects.snapshot("").objects()) {
            try {
                if (!isGoing(object)) {
                    objects.deleteAdmitted(object.namespace(), object.name(), DeleteOptions.DEFAULT, options);
                }
            } catch (ApiException refused) {
                if (!refused.is(Reason.NotFound)) {
                    errors.add(refused.getMessage());
                }
            } catch (RuntimeException broken) {
                errors.add(String.valueOf(broken.getMessage()));
            }
        }
        return errors;
    }

    private static boolean isGoing(CachedObject object) {
        return Json.decodeObject(object.json()).path("metadata").hasNonNull("deletionTimestamp");
    }

    /** Whether this is over although there is an object that nobody told to go, as one that was being created meanwhile. */
    boolean hasMissedSome() {
        return finished && objects.snapshot("").objects().stream().anyMatch(object -> !isGoing(object));
    }

    void stop() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }
}
