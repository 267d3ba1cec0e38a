package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.ExecRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a node answers to those who want to reach into what does not run, in kubelet's words. */
class StreamRefusalsTest extends AgentFixture {
    private static void refused(Reason reason, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.is(reason)).isTrue())
                .hasMessage(message);
    }

    private void exec(String pod, String container) {
        agent.streams().exec("default", pod, container, new ExecRequest(List.of("true"), false, false, true, true));
    }

    @Test
    void whatHasEndedOrNeverBeganIsNotFound() {
        runtime.exitsAtOnce("web", 0);
        create(pod("done").editSpec().withRestartPolicy("Never").endSpec());
        eventually("it has ended", () -> phase("done").equals("Succeeded"));
        eventually("its sandbox too", () -> runtime.calls().contains("stop sandbox"));
        settle();

        refused(Reason.InternalError, "container not found (\"web\")", () -> exec("done", "web"));
        refused(
                Reason.InternalError,
                "container web not found in pod done_default",
                () -> agent.streams().attach("default", "done", "web", new AttachRequest(false, true, true)));
        refused(
                Reason.InternalError,
                "pod not found (\"done_default\")",
                () -> agent.streams().portForward("default", "done", 80));
        refused(Reason.BadRequest, "container other is not valid for pod done", () -> exec("done", "other"));
    }

    private void log(String pod, String container) throws IOException {
        agent.streams().logs("default", pod, container, LogOptions.ALL, OutputStream.nullOutputStream());
    }

    @Test
    void thoseWhoAskForALogHearWhatTheStatusSays() {
        create(pod("slow")
                .editSpec()
                .addNewInitContainer()
                .withName("first")
                .withImage("app:1")
                .endInitContainer()
                .addNewInitContainer()
                .withName("second")
                .withImage("app:1")
                .endInitContainer()
                .endSpec());
        eventually("the first runs", () -> runtime.started().contains("first"));
        eventually("the others wait", () -> waiting("slow", "second").equals("PodInitializing"));
        for (String waits : List.of("second", "web")) {
            refused(
                    Reason.BadRequest,
                    "container \"" + waits + "\" in pod \"slow\" is waiting to start: PodInitializing",
                    () -> log("slow", waits));
        }
    }
}
