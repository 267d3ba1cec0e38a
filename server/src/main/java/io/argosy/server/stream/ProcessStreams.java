package io.argosy.server.stream;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The client's streams that belong to one process, by their role; on SPDY the client opens them one by one. */
final class ProcessStreams {
    static final String STDIN = "stdin";
    static final String STDOUT = "stdout";
    static final String STDERR = "stderr";
    static final String ERROR = "error";
    static final String RESIZE = "resize";

    private static final int OPENING_SECONDS = 30;

    private final Set<String> expected;
    private final Map<String, ClientStream> streams = new ConcurrentHashMap<>();
    private final CountDownLatch missing;

    ProcessStreams(Set<String> expected) {
        this.expected = expected;
        this.missing = new CountDownLatch(expected.size());
    }

    static Set<String> expected(NodeGateway.Command command, boolean resizes) {
        Set<String> roles = new LinkedHashSet<>();
        roles.add(ERROR);
        if (command.stdin()) {
            roles.add(STDIN);
        }
        if (command.stdout()) {
            roles.add(STDOUT);
        }
        if (command.stderr()) {
            roles.add(STDERR);
        }
        if (command.tty() && resizes) {
            roles.add(RESIZE);
        }
        return roles;
    }

    /** False if nobody waits for a stream in this role. */
    boolean offer(String role, ClientStream stream) {
        if (!expected.contains(role) || streams.putIfAbsent(role, stream) != null) {
            return false;
        }
        missing.countDown();
        return true;
    }

    /** False if the client did not open all its streams in time. */
    boolean awaitAll() throws InterruptedException {
        return missing.await(OPENING_SECONDS, TimeUnit.SECONDS);
    }

    Optional<ClientStream> get(String role) {
        return Optional.ofNullable(streams.get(role));
    }
}
