package io.argosy.node.agent;

import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecSession;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The node's side of {@code kubectl logs, exec, attach, port-forward}: plain streams by pod and container name. An empty container
 * name means the pod's only (or default) one. A refusal is an {@link io.argosy.api.status.ApiException} in kubelet's words.
 */
public interface NodeStreams {
    /**
     * Writes a container's log to the sink; blocks until all is written, or with follow until the container ends. To end it sooner,
     * interrupt the thread or let the sink fail.
     */
    void logs(String namespace, String pod, String container, LogOptions options, OutputStream sink) throws IOException;

    ExecSession exec(String namespace, String pod, String container, ExecRequest request);

    ExecSession attach(String namespace, String pod, String container, AttachRequest request);

    DuplexStream portForward(String namespace, String pod, int port);
}
