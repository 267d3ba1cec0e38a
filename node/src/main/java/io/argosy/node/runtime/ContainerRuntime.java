package io.argosy.node.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What runs containers on a node: sandboxes (a pod's shared surroundings) and the containers inside them.
 *
 * <p>The shape is that of the Kubernetes Container Runtime Interface, so that runc on this machine, containerd through
 * CRI, and a simulation can all stand behind it. Nothing of the API server is known here. Every call blocks until it is
 * done, every call may be repeated (stopping what is stopped, removing what is gone are no errors), and every call may
 * come from any thread. What goes wrong is a {@link RuntimeFailure}.
 *
 * <p>Sandboxes and containers outlive this object: {@link #close()} stops watching, it stops no container, and an
 * instance opened later over the same state finds them again.
 */
public interface ContainerRuntime extends AutoCloseable {

    /** Who this is and whether it can run pods now. */
    RuntimeInfo info();

    // ---- sandboxes

    /** Makes a pod's surroundings (namespaces, address, shared files) and returns them ready for containers. */
    Sandbox runSandbox(SandboxSpec spec);

    /** Kills what still runs in the sandbox and gives its network back; its containers' statuses stay readable. */
    void stopSandbox(String sandboxId);

    /** Stops the sandbox if need be and removes it with all its containers, without leaving a trace. */
    void removeSandbox(String sandboxId);

    List<Sandbox> sandboxes();

    Optional<Sandbox> sandbox(String sandboxId);

    // ---- containers

    /** Makes a container that is ready to start, and returns its id. */
    String createContainer(String sandboxId, ContainerSpec spec);

    void startContainer(String containerId);

    /** Sends the stop signal, waits up to the grace period, then kills; returns when the container has exited. */
    void stopContainer(String containerId, Duration grace);

    /** Kills the container if it runs and removes it with its writable layer; the log file stays. */
    void removeContainer(String containerId);

    List<ContainerStatus> containers();

    Optional<ContainerStatus> container(String containerId);

    void updateResources(String containerId, LinuxResources resources);

    /** Gives the pod as a whole other limits; what is empty stays. */
    void updateSandboxResources(String sandboxId, LinuxResources resources);

    /** Opens the container's log file anew under its path: the second half of a log rotation. */
    void reopenLog(String containerId);

    // ---- streams

    /** Runs a command in a running container to its end; one still running at the timeout is killed. */
    ExecResult execSync(String containerId, List<String> command, Duration timeout);

    /** Starts a command in a running container; closing the session kills it. */
    ExecSession exec(String containerId, ExecRequest request);

    /** Joins the streams of the container's own process; closing the session leaves the process running. */
    ExecSession attach(String containerId, AttachRequest request);

    /** Connects to a port on the sandbox's own localhost. */
    DuplexStream portForward(String sandboxId, int port);

    // ---- what happens by itself

    /**
     * Reports, as they happen, the exits of containers, each at least once: exits that nobody was told of while this
     * object did not exist are reported right after subscribing. The listener is called on one thread, in order.
     */
    Subscription events(Consumer<ContainerEvent> listener);

    Optional<ContainerStats> containerStats(String containerId);

    /** Of the above only the counters, which cost next to nothing to read. */
    Optional<ContainerStats.Usage> containerUsage(String containerId);

    Optional<SandboxStats> sandboxStats(String sandboxId);

    @Override
    void close();

    /** A listener's place in the row; closing it ends the calls. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
