package io.argosy.client.controller;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.NamespacedName;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.client.Client;
import io.argosy.client.Owners;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControllerTest {
    private final FakeApi api = new FakeApi();
    private final Client client = api.client();
    private final SharedInformers informers = new SharedInformers(api, Clock.system());
    private final List<NamespacedName> reconciled = new CopyOnWriteArrayList<>();
    private Controller controller;

    @AfterEach
    void close() {
        controller.close();
        informers.close();
    }

    @Test
    void aChangeOfAnObjectReconcilesItself() {
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            reconciled.add(key);
            return Reconciler.Result.done();
        });
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually("reconciled", () -> reconciled.contains(NamespacedName.of("default", "a")));
    }

    @Test
    void aChangeOfAnOwnedObjectReconcilesItsOwner() {
        run(Controller.named("test", informers, Clock.system()).owns(Pod.class, ReplicaSet.class), key -> {
            reconciled.add(key);
            return Reconciler.Result.done();
        });
        ReplicaSet owner = client.resources(ReplicaSet.class)
                .create(new ReplicaSetBuilder()
                        .withNewMetadata()
                        .withName("rs")
                        .withNamespace("default")
                        .endMetadata()
                        .build());
        client.resources(Pod.class).create(pod("rs-1", owner));
        eventually("reconciled", () -> reconciled.equals(List.of(NamespacedName.of("default", "rs"))));
    }

    @Test
    void aKeyIsNotReconciledAgainBeforeItsOwnWritesAreInTheCache() {
        AtomicInteger created = new AtomicInteger();
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            // Makes one pod for each config map; with a stale cache it would make a second.
            if (informers.of(Pod.class).list().isEmpty()) {
                client.resources(Pod.class).create(pod("p" + created.incrementAndGet(), null));
            }
            reconciled.add(key);
            return Reconciler.Result.done();
        });
        informers.of(Pod.class);
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually("first reconciliation", () -> reconciled.size() == 1);
        eventually("idle", () -> controller.idle());

        client.resources(Pod.class).delete("default", "p1", DeleteOptions.DEFAULT);
        eventually("pod gone", () -> informers.of(Pod.class).list().isEmpty());
        holdEventsFrom(ControllerTest::isPodCreation);
        NamespacedName key = NamespacedName.of("default", "a");
        controller.queue().add(key);
        eventually("second reconciliation", () -> reconciled.size() == 2);
        controller.queue().add(key);
        assertThat(controller.idle()).isFalse();
        assertThat(controller.queue().counts().depth()).isZero();
        api.releaseEvents();
        eventually("third reconciliation", () -> reconciled.size() == 3);
        assertThat(created.get()).isEqualTo(2);
    }

    @Test
    void aWriteWhoseAnswerWasLostIsNotMadeAgainBeforeTheCacheMayHaveSeenIt() {
        AtomicInteger created = new AtomicInteger();
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            reconciled.add(key);
            if (informers.of(Pod.class).list().isEmpty()) {
                client.resources(Pod.class).create(pod("p" + created.incrementAndGet(), null));
            }
            return Reconciler.Result.done();
        });
        informers.of(Pod.class);
        holdEventsFrom(ControllerTest::isPodCreation); // the cache hears of it only later
        api.loseAnswerOnce(ControllerTest::isPodCreation, new ApiException(Reason.Timeout, "the answer is lost"));
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually(
                "asked what there is, again and again",
                () -> api.requests().stream().filter(ControllerTest::isPodList).count() > 3);
        assertThat(reconciled).hasSize(1);
        api.releaseEvents();
        eventually("second reconciliation", () -> reconciled.size() == 2);
        eventually("idle", () -> controller.idle());
        assertThat(created.get()).isEqualTo(1);
    }

    @Test
    void aWriteThatWasNotMadeThoughTheAnswerWasLostIsMadeAgain() {
        AtomicInteger created = new AtomicInteger();
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            if (informers.of(Pod.class).list().isEmpty()) {
                client.resources(Pod.class).create(pod("p" + created.incrementAndGet(), null));
            }
            return Reconciler.Result.done();
        });
        informers.of(Pod.class);
        api.failOnce(ControllerTest::isPodCreation, new UncheckedIOException(new IOException("connection reset")));
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually("made", () -> informers.of(Pod.class).list().size() == 1);
        assertThat(created.get()).isEqualTo(2);
    }

    @Test
    void aDeletionWhoseAnswerWasLostIsSeenBeforeTheNextLook() {
        client.resources(Pod.class).create(pod("p", null));
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            reconciled.add(key);
            informers
                    .of(Pod.class)
                    .list()
                    .forEach(pod -> client.resources(Pod.class)
                            .delete("default", pod.getMetadata().getName(), DeleteOptions.DEFAULT));
            return Reconciler.Result.done();
        });
        informers.of(Pod.class);
        eventually("pod known", () -> !informers.of(Pod.class).list().isEmpty());
        holdEventsFrom(request -> request.verb() == Verb.DELETE);
        api.loseAnswerOnce(
                request -> request.verb() == Verb.DELETE, new ApiException(Reason.InternalError, "the answer is lost"));
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually(
                "asked what there is, again and again",
                () -> api.requests().stream().filter(ControllerTest::isPodList).count() > 3);
        assertThat(reconciled).hasSize(1);
        api.releaseEvents();
        eventually("second reconciliation", () -> reconciled.size() == 2);
        eventually("idle", () -> controller.idle());
        assertThat(api.requests().stream().filter(request -> request.verb() == Verb.DELETE))
                .hasSize(1);
    }

    private void holdEventsFrom(Predicate<Request> when) {
        api.failOnce(
                request -> {
                    if (when.test(request)) {
                        api.holdEvents();
                    }
                    return false;
                },
                new IllegalStateException("never thrown"));
    }

    private static boolean isPodCreation(Request request) {
        return request.verb() == Verb.CREATE && request.resource().equals("pods");
    }

    private static boolean isPodList(Request request) {
        return request.verb() == Verb.LIST && request.resource().equals("pods");
    }

    @Test
    void aFailureComesAgainAndAConflictToo() {
        run(Controller.named("test", informers, Clock.system()).watches(ConfigMap.class), key -> {
            reconciled.add(key);
            switch (reconciled.size()) {
                case 1 -> throw new IllegalStateException("first");
                case 2 -> throw new ApiException(Reason.Conflict, "second");
                default -> {
                    return Reconciler.Result.done();
                }
            }
        });
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually("third try", () -> reconciled.size() == 3);
        eventually("idle", () -> controller.idle());
        assertThat(controller.queue().counts().retries()).isEqualTo(2);
    }

    @Test
    void aResultCanAskToComeAgainLater() {
        VirtualClock clock = new VirtualClock(Instant.EPOCH);
        run(Controller.named("test", informers, clock).watches(ConfigMap.class), key -> {
            reconciled.add(key);
            return Reconciler.Result.after(Duration.ofHours(1));
        });
        client.resources(ConfigMap.class).create(configMap("a"));
        eventually("scheduled", () -> clock.waiting() == 1);
        clock.advance(Duration.ofMinutes(59));
        assertThat(reconciled).hasSize(1);
        clock.advance(Duration.ofMinutes(1));
        eventually("again", () -> reconciled.size() == 2);
    }

    private void run(Controller.Builder wiring, Reconciler reconciler) {
        controller = wiring.reconciler(reconciler);
        informers.start();
        controller.start();
    }

    private static ConfigMap configMap(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .build();
    }

    private static Pod pod(String name, HasMetadata owner) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withOwnerReferences(owner == null ? List.of() : List.of(Owners.controlledBy(owner)))
                .endMetadata()
                .build();
    }
}
