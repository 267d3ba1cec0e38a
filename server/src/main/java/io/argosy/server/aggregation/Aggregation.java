package io.argosy.server.aggregation;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupVersion;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.server.authn.User;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.cache.Change;
import io.argosy.server.discovery.Extension;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.proxy.Destination;
import io.argosy.server.proxy.Forwarded;
import io.argosy.server.proxy.Relay;
import io.argosy.server.proxy.ServiceEndpoints;
import io.argosy.server.registry.Registry;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The versions of the API that other servers answer for. Requests for them go there, under the name of who sends them; everything else does
 * not notice that there are such servers, nor when one is down.
 */
public final class Aggregation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Aggregation.class);
    private static final String UNABLE = "the server is currently unable to handle the request";
    private static final Duration CONNECTING = Duration.ofSeconds(30);
    private static final Duration ANSWERING = Duration.ofSeconds(60);

    private final Registry registry;
    private final RemoteServers servers;
    private final Availability availability;
    private final LocalVersions localVersions;
    private final Documents documents = new Documents(new Documents.Servers() {
        @Override
        public List<ApiService> services() {
            return Aggregation.this.services();
        }

        @Override
        public boolean isAvailable(ApiService service) {
            return Aggregation.this.isAvailable(service);
        }

        @Override
        public Collected ask(ApiService service, Question question) throws IOException {
            return Aggregation.this.ask(service, Question.ASKER, question, Question.QUICK);
        }
    });

    /** Replaced as a whole; a server without extensions reads one field for each request. */
    private volatile Map<GroupVersion, ApiService> remote = Map.of();

    /** What the servers said of their resources when they were last asked, by the name of the registration. */
    private final Map<String, Told> told = new HashMap<>();

    private volatile List<Extension> extensions = List.of();

    private record Told(JsonNode resources, boolean fresh) {}

    public Aggregation(Registry registry, Clock clock) {
        this.registry = registry;
        this.servers = new RemoteServers(new ServiceEndpoints(() -> registry));
        this.localVersions = new LocalVersions(registry, clock);
        this.availability = new Availability(registry, servers.endpoints(), clock, this::discover);
    }

    /** Who we are to other servers. */
    public void identity(Supplier<FrontProxy> known) {
        servers.identity(known);
    }

    public void follow() {
        registry.store(ApiService.GROUP, ApiService.RESOURCE).cache().follow(this::take);
        availability.follow();
    }

    /** Registers the versions this server answers for; nobody need wait for that. */
    public void registerOwn() {
        localVersions.start();
    }

    private synchronized void take(Change change) {
        Map<GroupVersion, ApiService> now = new HashMap<>(remote);
        now.values().removeIf(one -> one.name().equals(change.current().name()));
        ApiService read = change.deleted() ? null : ApiService.read(change.current());
        boolean ours = read == null
                || read.isLocal()
                || read.version().group().isEmpty()
                || read.version().group().equals(ApiService.GROUP);
        if (ours) {
            told.remove(change.current().name());
        } else {
            now.put(read.version(), read);
        }
        if (!now.equals(remote)) {
            remote = Map.copyOf(now);
            publish();
        }
    }

    private void publish() {
        List<Extension> all = new ArrayList<>();
        for (ApiService service : new TreeMap<>(byName()).values()) {
            Told known = told.get(service.name());
            all.add(new Extension(
                    service.version(),
                    service.groupPriority(),
                    service.versionPriority(),
                    known == null ? Json.object().arrayNode() : known.resources(),
                    known != null && known.fresh() && service.available()));
        }
        extensions = List.copyOf(all);
    }

    private Map<String, ApiService> byName() {
        Map<String, ApiService> byName = new HashMap<>();
        remote.values().forEach(service -> byName.put(service.name(), service));
        return byName;
    }

    /** Who answers for the version, if it is not this server. */
    public ApiService find(GroupVersion version) {
        Map<GroupVersion, ApiService> known = remote;
        return known.isEmpty() ? null : known.get(version);
    }

    /** The versions others answer for; the same list as long as nothing about them changes. */
    public List<Extension> extensions() {
        return extensions;
    }

    /** What other servers say of their resources in OpenAPI. */
    public Documents documents() {
        return documents;
    }

    /** The registrations of others' versions, in the order of their names. */
    List<ApiService> services() {
        return remote.isEmpty() ? List.of() : List.copyOf(new TreeMap<>(byName()).values());
    }

    /** Passes a request on to the server, and its answer back; what fails on the way is said in plain words, as upstream does. */
    public void relay(ApiService to, HttpCall call, boolean lasting, HttpReply reply) throws InterruptedException {
        if (!isAvailable(to)) {
            refuse(reply, "service unavailable");
            return;
        }
        Duration patience = lasting ? Duration.ZERO : ANSWERING;
        try {
            send(to, call, true, CONNECTING, patience, reply);
        } catch (ApiException refusal) {
            if (!refusal.is(Reason.ServiceUnavailable)) {
                throw refusal;
            }
            LOG.debug("{} could not be reached: {}", to.name(), refusal.getMessage());
            availability.check(to.name());
            refuse(reply, refusal.getMessage());
        }
    }

    /** Who has read that the server is available may be here before our own copy of it. */
    boolean isAvailable(ApiService service) {
        return service.available() || hasBecomeAvailable(service);
    }

    private boolean hasBecomeAvailable(ApiService before) {
        CachedObject now = registry.store(ApiService.GROUP, ApiService.RESOURCE).find("", before.name());
        return now != null && ApiService.read(now).available();
    }

    /** The same request, for what everybody may know and the other server need not judge. */
    public HttpCall asOurselves(HttpCall call) {
        return call.as(Question.ASKER);
    }

    private static void refuse(HttpReply reply, String why) {
        reply.send(
                503,
                Map.of("content-type", "text/plain; charset=utf-8", "x-content-type-options", "nosniff"),
                List.of(),
                List.of((why + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    private void send(
            ApiService to, HttpCall call, boolean checked, Duration connecting, Duration patience, HttpReply reply)
            throws InterruptedException {
        Forwarded forwarded = Forwarded.whole(call, headers -> {
            Identity.write(call.user(), headers);
            headers.set("host", to.host() + ":" + to.port());
        });
        Destination shown = new Destination(true, to.host(), to.port());
        Relay.run(shown, () -> servers.connect(to, checked, connecting, patience), forwarded, reply);
    }

    /** Asks the server something for ourselves, or for somebody in this process, and waits for the whole answer. */
    Collected ask(ApiService to, User user, Question question, Duration patience) throws IOException {
        HttpHeaders headers = new DefaultHttpHeaders().set("accept-encoding", "identity");
        question.headers().forEach(headers::set);
        HttpCall call = new HttpCall(
                question.method(),
                question.target(),
                question.target(),
                Map.of(),
                headers,
                question.body(),
                user,
                null);
        try (Collected answer = new Collected(question.maxLength(), patience)) {
            send(to, call, question.checked(), patience, patience, answer);
            if (!answer.isWhole()) {
                throw new IOException("unexpected EOF");
            }
            return answer;
        } catch (ApiException failed) {
            throw new IOException(failed.getMessage(), failed);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IOException("context canceled", stopping);
        }
    }

    /** A request of somebody in this process, and what it is answered; refused as the server refuses it. */
    public byte[] send(ApiService to, User user, String method, String target, String contentType, byte[] body) {
        if (!to.available()) {
            throw new ApiException(Reason.ServiceUnavailable, UNABLE);
        }
        try {
            Collected answer = ask(to, user, Question.of(method, target, contentType, body), ANSWERING);
            if (answer.status() >= 200 && answer.status() <= 299) {
                return answer.body();
            }
            throw refusal(answer);
        } catch (IOException failed) {
            availability.check(to.name());
            throw new ApiException(Reason.ServiceUnavailable, failed.getMessage());
        }
    }

    private static ApiException refusal(Collected answer) {
        Reason reason = switch (answer.status()) {
            case 401 -> Reason.Unauthorized;
            case 403 -> Reason.Forbidden;
            case 404 -> Reason.NotFound;
            case 409 -> Reason.Conflict;
            case 422 -> Reason.Invalid;
            case 503 -> Reason.ServiceUnavailable;
            default -> answer.status() < 500 ? Reason.BadRequest : Reason.InternalError;
        };
        try {
            String message = Json.decode(answer.body()).path("message").asText("");
            return new ApiException(reason, message.isEmpty() ? UNABLE : message);
        } catch (IOException noStatus) {
            return new ApiException(reason, UNABLE);
        }
    }

    /** Asks what the server has, and remembers it; throws if there is no answer that can be used. */
    private void discover(ApiService service) throws IOException {
        Collected answer =
                ask(service, Question.ASKER, Question.get(service.root(), "application/json"), Question.QUICK);
        String from = "https://" + service.host() + ":" + service.port() + service.root();
        if (answer.status() < 200 || answer.status() > 299) {
            throw new IOException("bad status from " + from + ": " + answer.status());
        }
        JsonNode resources = Json.decode(answer.body());
        documents.prepare(service);
        synchronized (this) {
            if (remote.containsValue(service) || find(service.version()) != null) {
                Told now = new Told(AggregatedForm.of(service.version(), resources), true);
                if (!now.equals(told.put(service.name(), now))) {
                    publish();
                }
            }
        }
    }

    @Override
    public void close() {
        localVersions.close();
        availability.close();
    }
}
