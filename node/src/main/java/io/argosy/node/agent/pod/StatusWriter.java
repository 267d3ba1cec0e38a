package io.argosy.node.agent.pod;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.work.Work;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one pod's newest status to the API server, off the worker's thread: what was overtaken before it was sent is never
 * sent, what is already there is not sent again, and a failed write is tried again.
 */
final class StatusWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Client client;
    private final Clock clock;
    private final Consumer<Pod> written;

    private Pod pod;
    private PodStatus wanted;
    private PodStatus sent;
    private boolean finish;
    private boolean writing;
    private boolean gone;

    /** Told of each answer, with the pod as the server has it now. */
    StatusWriter(Client client, Clock clock, Consumer<Pod> written) {
        this.client = client;
        this.clock = clock;
        this.written = written;
    }

    /** The pod as last read, and the status it should have. */
    synchronized void offer(Pod pod, PodStatus status) {
        if (this.pod != null && !PodFacts.uid(this.pod).equals(PodFacts.uid(pod))) {
            sent = null; // another mirror of the same pod knows nothing yet
            gone = false;
        }
        this.pod = pod;
        wanted = status;
        begin();
    }

    /** Forgets what was sent and compares with the server's own copy again, in case somebody else wrote there. */
    synchronized void compareAnew() {
        if (!writing) {
            sent = null;
        }
    }

    /** After the last status is written, the pod itself is taken off the API server. */
    synchronized void finish(Pod pod, PodStatus status) {
        finish = true;
        offer(pod, status);
    }

    /** The API server no longer has the pod: there is nothing to write to. */
    synchronized void gone() {
        gone = true;
    }

    private synchronized void begin() {
        if (!writing && !gone) {
            writing = true;
            Work.begin(clock, "status-" + PodFacts.name(pod), this::write);
        }
    }

    private record Task(Pod pod, PodStatus before, PodStatus wanted, boolean finish) {}

    private synchronized Optional<Task> next() {
        if (gone || (wanted == null && !finish)) {
            writing = false;
            return Optional.empty();
        }
        PodStatus before = sent != null ? sent : pod.getStatus() == null ? new PodStatus() : pod.getStatus();
        Task task = new Task(pod, before, wanted, finish);
        wanted = null;
        return Optional.of(task);
    }

    private void write() {
        Optional<Task> task = next();
        while (task.isPresent()) {
            try {
                write(task.get());
            } catch (RuntimeException e) {
                LOG.warn("status of pod {} was not written: {}", PodFacts.fullName(task.get().pod), e.toString());
                again(task.get());
                return;
            }
            task = next();
        }
    }

    private void write(Task task) {
        Resources<Pod> pods = client.resources(Pod.class);
        String namespace = PodFacts.namespace(task.pod);
        String name = PodFacts.name(task.pod);
        String uid = PodFacts.uid(task.pod);
        try {
            Optional<JsonNode> patch =
                    task.wanted == null ? Optional.empty() : StatusPatch.between(uid, task.before, task.wanted);
            if (patch.isPresent()) {
                Pod answer = pods.patchStatus(namespace, name, Resources.PatchType.STRATEGIC, patch.get());
                remember(task.wanted);
                written.accept(answer);
            }
            if (task.finish) {
                pods.delete(namespace, name, new Resources.DeleteOptions(0L, null, uid, null));
                gone();
            }
        } catch (ApiException e) {
            if (!e.is(Reason.NotFound)) {
                throw e;
            }
            LOG.debug("pod {} is no longer there: {}", PodFacts.fullName(task.pod), e.getMessage());
            gone();
        }
    }

    private synchronized void remember(PodStatus status) {
        sent = status;
    }

    private void again(Task task) {
        clock.schedule(RETRY, () -> {
            synchronized (this) {
                writing = false;
                wanted = wanted == null ? task.wanted : wanted;
                sent = null;
                begin();
            }
        });
    }
}
