package io.argosy.server.stream;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the API server reaches into running pods: by way of the agent on their node, wherever that is. */
public interface NodeGateway {
    /** A container of a pod on a node; the container is empty where the pod as a whole is meant. */
    record Target(String node, String namespace, String pod, String uid, String container) {}

    /** A process to run in a container. */
    record Command(List<String> command, boolean tty, boolean stdin, boolean stdout, boolean stderr) {}

    /**
     * Writes the container's log until its end, or, when following, until the container's; returns when there is no more. Parameters are
     * those of the API: follow, tailLines, sinceSeconds, sinceTime, timestamps, previous, limitBytes, stream.
     */
    void logs(Target target, Map<String, String> parameters, OutputStream sink)
            throws IOException, InterruptedException;

    /** Starts a process in a running container. */
    RemoteProcess exec(Target target, Command command) throws IOException;

    /** Joins the process that the container itself is. */
    RemoteProcess attach(Target target, Command command) throws IOException;

    /** A connection to a port inside the pod. */
    RemotePort portForward(Target target, int port) throws IOException;

    /** What the node's agent itself tells under a path, such as {@code stats/summary}; empty if it has no such page. */
    Optional<Page> page(String node, String path, Map<String, String> parameters);

    /** A file of the machine's own logs, or the names in a folder of them; empty if there is no such. */
    Optional<Document> systemLog(String node, String path) throws IOException;

    /** An answer that is read while it is sent. */
    record Document(String contentType, InputStream content) {}

    /** An answer in full. */
    record Page(String contentType, byte[] content) {}

    /** A process with its streams; streams that were not asked for are at their end. */
    interface RemoteProcess extends AutoCloseable {
        OutputStream stdin();

        InputStream stdout();

        InputStream stderr();

        void resize(int columns, int rows);

        /** Waits for the end and gives the exit code. */
        int waitFor() throws InterruptedException, IOException;

        /**
         * Ends the process if it runs still (exec), or lets go of it (attach); either way its streams come to their end, and who waits on
         * one of them goes on. May be called more than once, from any thread.
         */
        @Override
        void close();
    }

    /** A two-way connection. */
    interface RemotePort extends AutoCloseable {
        /** Closing it ends this direction only: the pod may go on answering. */
        OutputStream toPod();

        InputStream fromPod();

        /** Ends both directions, and every wait on them. May be called more than once, from any thread. */
        @Override
        void close();
    }
}
