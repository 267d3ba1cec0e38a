package io.argosy.node.agent.pod;

import static io.argosy.node.agent.pod.Views.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plan as a table: the state of a pod, and what is to be done next. */
class PodPlanTest {
    /** One line of the table. */
    record Case(String name, Views views, String plan) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("a new pod needs a sandbox first", Views.of("Always", "a"), "sandbox"),
                new Case(
                        "while one is being made nothing more is begun",
                        Views.of("Always", "a").busy(),
                        ""),
                new Case(
                        "with a sandbox all regular containers start in order",
                        Views.of("Always", "a", "b").sandbox(),
                        "start[a, b]"),
                new Case(
                        "a running pod needs nothing",
                        Views.of("Always", "a").sandbox().running("a"),
                        ""),
                new Case(
                        "only what is missing is started",
                        Views.of("Always", "a", "b").sandbox().running("a"),
                        "start[b]"),
                new Case(
                        "a container left half made is started",
                        Views.of("Always", "a").sandbox().created("a"),
                        "start[a]"),
                new Case(
                        "init containers come first, one by one",
                        Views.of("Always", "init:i", "init:j", "a").sandbox(),
                        "start[i]"),
                new Case(
                        "a running init container is waited for",
                        Views.of("Always", "init:i", "a").sandbox().running("i"),
                        ""),
                new Case(
                        "the next follows when one is done",
                        Views.of("Always", "init:i", "init:j", "a").sandbox().exited("i", 0),
                        "start[j]"),
                new Case(
                        "regular ones follow the last",
                        Views.of("Always", "init:i", "a").sandbox().exited("i", 0),
                        "start[a]"),
                new Case(
                        "a container for debugging waits for no init container",
                        Views.of("Always", "init:i", "a", "debug:d").sandbox().running("i"),
                        "start[d]"),
                new Case(
                        "one left half made is started",
                        Views.of("Always", "a", "debug:d")
                                .sandbox()
                                .running("a")
                                .created("d"),
                        "start[d]"),
                new Case(
                        "one that has ended stays so",
                        Views.of("Always", "a", "debug:d")
                                .sandbox()
                                .running("a")
                                .exited("d", 1),
                        ""),
                new Case(
                        "a failed init container is tried again",
                        Views.of("OnFailure", "init:i", "a").sandbox().exited("i", 1),
                        "start[i]"),
                new Case(
                        "but not where nothing is restarted",
                        Views.of("Never", "init:i", "a").sandbox().exited("i", 1),
                        "clean"),
                new Case(
                        "a sidecar starts before the next",
                        Views.of("Always", "side:s", "init:i", "a").sandbox(),
                        "start[s]"),
                new Case(
                        "and lets it follow when it has started",
                        Views.of("Always", "side:s", "a").sandbox().running("s"),
                        "start[a]"),
                new Case(
                        "but not before its startup probe says so",
                        Views.of("Always", "side:s", "a").sandbox().running("s").health("s", false, false, ""),
                        ""),
                new Case(
                        "a sidecar that ends is restarted beside the others",
                        Views.of("Always", "side:s", "a")
                                .sandbox()
                                .exited("s", 0)
                                .running("a"),
                        "start[s]"),
                new Case(
                        "a sidecar is stopped when all others are done",
                        Views.of("Never", "side:s", "a").sandbox().running("s").exited("a", 0),
                        "stop[s]"),
                new Case(
                        "a container that ended well is restarted by Always",
                        Views.of("Always", "a").sandbox().exited("a", 0),
                        "start[a]"),
                new Case(
                        "by OnFailure only if it failed",
                        Views.of("OnFailure", "a", "b").sandbox().exited("a", 0).exited("b", 2),
                        "start[b]"),
                new Case(
                        "a rule of its own goes before the policy",
                        ruled("Never", "In", 42).sandbox().exited("a", 42),
                        "start[a]"),
                new Case(
                        "but only for the exit codes it names",
                        ruled("Never", "In", 42).sandbox().exited("a", 1),
                        "clean"),
                new Case(
                        "or does not name",
                        ruled("Never", "NotIn", 42).sandbox().exited("a", 1),
                        "start[a]"),
                new Case("and never by Never", Views.of("Never", "a").sandbox().exited("a", 1), "clean"),
                new Case(
                        "a finished pod is cleaned once",
                        Views.of("Never", "a").sandbox().exited("a", 0).cleaned(),
                        ""),
                new Case(
                        "one of two done by Never keeps the other",
                        Views.of("Never", "a", "b").sandbox().exited("a", 0).running("b"),
                        ""),
                new Case(
                        "a crash is waited out",
                        Views.of("Always", "a")
                                .sandbox()
                                .exited("a", 1, 1)
                                .backOff("a", new BackOff(Duration.ofSeconds(10), NOW)),
                        "wait[a CrashLoopBackOff] wake+10"),
                new Case(
                        "and over when the time has come",
                        Views.of("Always", "a")
                                .sandbox()
                                .exited("a", 1, 1)
                                .backOff("a", new BackOff(Duration.ofSeconds(10), NOW))
                                .at(NOW.plusSeconds(10)),
                        "start[a]"),
                new Case(
                        "a failed start is waited out too",
                        Views.of("Always", "a").sandbox().wait("a", "ErrImagePull", NOW.plusSeconds(10)),
                        "wake+10"),
                new Case(
                        "a failed liveness probe stops the container",
                        Views.of("Always", "a").sandbox().running("a").health("a", true, true, "failed liveness probe"),
                        "stop[a]"),
                new Case(
                        "only once",
                        Views.of("Always", "a")
                                .sandbox()
                                .running("a")
                                .health("a", true, true, "failed liveness probe")
                                .stopping("a"),
                        ""),
                new Case(
                        "a container's own policy wins over the pod's",
                        Views.of(own("Always")).sandbox().exited("a", 0),
                        "start[a]"),
                new Case(
                        "a rule about exit codes wins over both",
                        Views.of(rule()).sandbox().exited("a", 42),
                        "start[a]"),
                new Case(
                        "and counts for those codes alone",
                        Views.of(rule()).sandbox().exited("a", 1),
                        "clean"),
                new Case(
                        "a lost sandbox is made again",
                        Views.of("Always", "a").deadSandbox().exited("a", 137),
                        "sandbox"),
                new Case(
                        "but not for a pod that is done",
                        Views.of("Never", "a").deadSandbox().exited("a", 137),
                        "clean"),
                new Case(
                        "a deleted pod stops",
                        Views.of(deleted()).sandbox().running("a").running("b"),
                        "stop[a, b]"),
                new Case(
                        "is waited for",
                        Views.of(deleted()).sandbox().running("a").stopping("a"),
                        ""),
                new Case("and removed", Views.of(deleted()).sandbox().exited("a", 143), "clean"),
                new Case("a deleted pod that never began is removed", Views.of(deleted()), "clean"),
                new Case(
                        "but only when what was begun is over",
                        Views.of(deleted()).busy(),
                        ""),
                new Case(
                        "a pod that is gone from the API stops",
                        Views.of("Always", "a").sandbox().running("a").removed(),
                        "stop[a]"),
                new Case(
                        "an ended pod stops",
                        Views.of("Always", "a").sandbox().running("a").ending(PodView.Ending.DEADLINE),
                        "stop[a] end"),
                new Case(
                        "a deadline that passed ends the pod",
                        Views.of(deadline(500)).sandbox().running("a"),
                        "stop[a] end"),
                new Case(
                        "one to come is woken for",
                        Views.of(deadline(700)).sandbox().running("a"),
                        "wake+100"));
    }

    private static Pod own(String policy) {
        return Views.pod("Never", "a")
                .editSpec()
                .editContainer(0)
                .withRestartPolicy(policy)
                .endContainer()
                .endSpec()
                .build();
    }

    private static Pod rule() {
        return Views.pod("Never", "a")
                .editSpec()
                .editContainer(0)
                .withRestartPolicy("Never")
                .addNewRestartPolicyRule()
                .withAction("Restart")
                .withNewExitCodes()
                .withOperator("In")
                .withValues(42)
                .endExitCodes()
                .endRestartPolicyRule()
                .endContainer()
                .endSpec()
                .build();
    }

    private static Pod deleted() {
        return Views.pod("Always", "a", "b")
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:10:30Z")
                .withDeletionGracePeriodSeconds(30L)
                .endMetadata()
                .build();
    }

    private static Pod deadline(long seconds) {
        return Views.pod("Always", "a")
                .editSpec()
                .withActiveDeadlineSeconds(seconds)
                .endSpec()
                .withNewStatus()
                .withStartTime("2026-01-01T00:00:00Z")
                .endStatus()
                .build();
    }

    private static Views ruled(String policy, String operator, int code) {
        return Views.of(Views.pod(policy, "a")
                .editSpec()
                .editContainer(0)
                .withRestartPolicy(policy)
                .addNewRestartPolicyRule()
                .withAction("Restart")
                .withNewExitCodes()
                .withOperator(operator)
                .withValues(code)
                .endExitCodes()
                .endRestartPolicyRule()
                .endContainer()
                .endSpec()
                .build());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void plans(Case line) {
        PodView view = line.views().view();
        assertThat(words(PodPlan.of(view), view)).isEqualTo(line.plan());
    }

    private static String words(PodPlan plan, PodView view) {
        StringBuilder words = new StringBuilder();
        Consumer<String> say = word -> words.append(words.isEmpty() ? "" : " ").append(word);
        if (plan.makeSandbox()) {
            say.accept("sandbox");
        }
        if (!plan.start().isEmpty()) {
            say.accept("start" + plan.start());
        }
        if (!plan.stop().isEmpty()) {
            say.accept("stop"
                    + plan.stop().stream().map(PodPlan.Stop::container).sorted().toList());
        }
        plan.waits().forEach((name, wait) -> say.accept("wait[" + name + " " + wait.reason() + "]"));
        if (plan.cleanUp()) {
            say.accept("clean");
        }
        plan.ending().ifPresent(e -> say.accept("end"));
        plan.wakeAt()
                .ifPresent(at ->
                        say.accept("wake+" + Duration.between(view.now(), at).toSeconds()));
        return words.toString();
    }

    @Test
    void aShorterSecondDeletionShortensTheGrace() {
        Pod pod = new PodBuilder(deleted())
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:10:02Z")
                .withDeletionGracePeriodSeconds(2L)
                .endMetadata()
                .build();

        PodPlan plan =
                PodPlan.of(Views.of(pod).sandbox().running("a").stopping("a").view());

        assertThat(plan.stop()).isEqualTo(List.of(new PodPlan.Stop("a", "", Duration.ofSeconds(2))));
    }

    @Test
    void backOffDoublesToFiveMinutesAndIsForgottenAfterTen() {
        BackOff backOff = null;
        StringBuilder delays = new StringBuilder();
        for (int i = 0; i < 7; i++) {
            backOff = BackOff.next(backOff, NOW, NOW);
            delays.append(BackOff.words(backOff.delay())).append(' ');
        }
        assertThat(delays.toString()).isEqualTo("10s 20s 40s 1m20s 2m40s 5m0s 5m0s ");
        assertThat(BackOff.next(backOff, NOW.plusSeconds(601), NOW).delay()).isEqualTo(BackOff.FIRST);
        assertThat(BackOff.afterRestarts(4, NOW).delay()).isEqualTo(Duration.ofSeconds(80));
        assertThat(BackOff.afterRestarts(40, NOW).delay()).isEqualTo(BackOff.LONGEST);
    }
}
