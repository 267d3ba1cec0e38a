package io.argosy.cluster.wire;

import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.node.agent.NodeStreams;
import io.argosy.node.agent.log.LogOptions;
import io.argosy.node.agent.stats.NodePages;
import io.argosy.node.runtime.AttachRequest;
import io.argosy.node.runtime.DuplexStream;
import io.argosy.node.runtime.ExecRequest;
import io.argosy.node.runtime.ExecSession;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.server.stream.NodeGateway;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** The API server's way into pods on nodes of this process; simulated nodes have nothing inside. */
public final class LocalGateway implements NodeGateway {
    private final Clock clock;
    private final Map<String, NodeStreams> nodes = new ConcurrentHashMap<>();
    private final Map<String, NodePages> pages = new ConcurrentHashMap<>();

    public LocalGateway(Clock clock) {
        this.clock = clock;
    }

    public void add(String node, NodeStreams streams, NodePages told) {
        nodes.put(node, streams);
        pages.put(node, told);
    }

    @Override
    public Optional<Page> page(String node, String path, Map<String, String> parameters) {
        return Optional.ofNullable(pages.get(node))
                .flatMap(told -> told.page(path, parameters))
                .map(page -> new Page(page.contentType(), page.content()));
    }

    @Override
    public Optional<Document> systemLog(String node, String path) throws IOException {
        NodePages told = pages.get(node);
        return told == null
                ? Optional.empty()
                : told.systemLog(path).map(found -> new Document(found.contentType(), found.content()));
    }

    private NodeStreams node(Target target) {
        NodeStreams found = nodes.get(target.node());
        if (found == null) {
            throw ApiException.badRequest("nothing can be reached in pod " + target.pod() + ": its node "
                    + target.node() + " is simulated, or its agent does not run here");
        }
        return found;
    }

    @Override
    public void logs(Target target, Map<String, String> parameters, OutputStream sink) throws IOException {
        node(target).logs(target.namespace(), target.pod(), target.container(), options(parameters), sink);
    }

    private LogOptions options(Map<String, String> parameters) {
        return new LogOptions(
                flag(parameters, "follow"),
                flag(parameters, "previous"),
                flag(parameters, "timestamps"),
                since(parameters),
                number(parameters, "tailLines"),
                number(parameters, "limitBytes"));
    }

    private Optional<Instant> since(Map<String, String> parameters) {
        String time = parameters.getOrDefault("sinceTime", "");
        if (!time.isEmpty()) {
            try {
                return Optional.of(Instant.parse(time));
            } catch (DateTimeParseException malformed) {
                throw ApiException.badRequest("sinceTime: invalid time \"" + time + "\"");
            }
        }
        OptionalLong seconds = number(parameters, "sinceSeconds");
        return seconds.isPresent() ? Optional.of(clock.now().minusSeconds(seconds.getAsLong())) : Optional.empty();
    }

    private static boolean flag(Map<String, String> parameters, String name) {
        return parameters.getOrDefault(name, "").equals("true");
    }

    private static OptionalLong number(Map<String, String> parameters, String name) {
        String value = parameters.getOrDefault(name, "");
        if (value.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(value));
        } catch (NumberFormatException notANumber) {
            throw ApiException.badRequest(name + ": invalid number \"" + value + "\"");
        }
    }

    @Override
    public RemoteProcess exec(Target target, Command command) {
        ExecRequest request =
                new ExecRequest(command.command(), command.tty(), command.stdin(), command.stdout(), command.stderr());
        return new SessionProcess(node(target).exec(target.namespace(), target.pod(), target.container(), request));
    }

    @Override
    public RemoteProcess attach(Target target, Command command) {
        AttachRequest request = new AttachRequest(command.stdin(), command.stdout(), command.stderr());
        return new SessionProcess(node(target).attach(target.namespace(), target.pod(), target.container(), request));
    }

    @Override
    public RemotePort portForward(Target target, int port) {
        DuplexStream stream = node(target).portForward(target.namespace(), target.pod(), port);
        return new RemotePort() {
            @Override
            public OutputStream toPod() {
                return stream.output();
            }

            @Override
            public InputStream fromPod() {
                return stream.input();
            }

            @Override
            public void close() {
                try {
                    stream.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    private record SessionProcess(ExecSession session) implements RemoteProcess {
        @Override
        public OutputStream stdin() {
            return session.stdin();
        }

        @Override
        public InputStream stdout() {
            return session.stdout();
        }

        @Override
        public InputStream stderr() {
            return session.stderr();
        }

        @Override
        public void resize(int columns, int rows) {
            session.resize(columns, rows);
        }

        /** A command that could not be started is told as what went wrong, not as an end without a word. */
        @Override
        public int waitFor() throws InterruptedException, IOException {
            try {
                return session.waitFor();
            } catch (RuntimeFailure failed) {
                throw new IOException(failed.getMessage(), failed);
            }
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
