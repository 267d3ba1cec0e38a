package io.argosy.server.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.AuditRecord;
import io.argosy.server.audit.Origin;
import io.argosy.server.authn.BearerTokens;
import io.argosy.server.authn.ServiceAccountTokens;
import io.argosy.server.authn.TokenAuthenticator;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpHandler;
import io.argosy.server.http.HttpReply;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Has requests over HTTP written down, from their coming to the end of their answers, whatever becomes of them between. */
public final class AuditedHandler implements HttpHandler {
    private final Audit audit;
    private final HttpHandler next;
    private final BearerTokens tokens;

    /** With the kinds of tokens by which requests may have come. */
    public AuditedHandler(Audit audit, BearerTokens tokens, HttpHandler next) {
        this.audit = audit;
        this.tokens = tokens;
        this.next = next;
    }

    @Override
    public boolean streams(String path) {
        return next.streams(path);
    }

    /** The quick way is for those of which nothing is written. */
    @Override
    public boolean tryFast(HttpCall call, HttpReply reply) {
        if (audit.wants(action(call)) || !next.tryFast(call, reply)) {
            return false;
        }
        audit.unwritten();
        return true;
    }

    @Override
    public void handle(HttpCall call, HttpReply reply) throws InterruptedException {
        Optional<AuditRecord> begun = audit.begin(action(call), origin(call), () -> credentials(call));
        if (begun.isEmpty()) {
            next.handle(call, reply);
            return;
        }
        AuditRecord log = begun.get();
        Observed observed = new Observed(log, reply);
        try {
            sent(call).ifPresent(log::requested);
            Audit.recorded(log, () -> {
                next.handle(call, observed);
                return null;
            });
            observed.returned();
        } catch (ApiException refusal) {
            log.refused(refusal);
            throw refusal;
        } catch (InterruptedException stopping) {
            log.refused(new ApiException(Reason.ServiceUnavailable, "the server is shutting down"));
            throw stopping;
        } catch (RuntimeException failure) {
            log.failed();
            throw failure;
        }
    }

    @Override
    public void unauthenticated(HttpCall call, ApiException refusal) {
        audit.begin(action(call), origin(call), () -> tokens.notes(TokenAuthenticator.token(call.headers())))
                .ifPresent(log -> log.unauthenticated(refusal));
    }

    private Map<String, String> credentials(HttpCall call) {
        return call.user().name().startsWith(ServiceAccountTokens.USER_PREFIX)
                ? tokens.notes(TokenAuthenticator.token(call.headers()))
                : Map.of();
    }

    private static Action action(HttpCall call) {
        ResourcePath path = ResourcePath.parse(call.path());
        return path == null
                ? Action.onPath(call.user(), call.method().toLowerCase(Locale.ROOT), call.path())
                : RestHandler.action(call, path, verb(call, path));
    }

    private static String verb(HttpCall call, ResourcePath path) {
        try {
            return RestHandler.verb(call, path);
        } catch (ApiException noSuchMethod) {
            return call.method().toLowerCase(Locale.ROOT);
        }
    }

    private static Origin origin(HttpCall call) {
        return new Origin(call.header(HttpCall.AUDIT_ID), call.target(), addresses(call), call.header("user-agent"));
    }

    /** What proxies say of where it came from, and where it came from last. */
    private static List<String> addresses(HttpCall call) {
        List<String> addresses = new ArrayList<>();
        for (String part : call.header("x-forwarded-for").split(",", -1)) {
            add(addresses, part.strip());
        }
        add(addresses, call.header("x-real-ip").strip());
        if (call.remote() instanceof InetSocketAddress remote && remote.getAddress() != null) {
            add(addresses, remote.getAddress().getHostAddress());
        }
        return addresses;
    }

    private static void add(List<String> addresses, String address) {
        boolean known =
                address.isEmpty() || !addresses.isEmpty() && addresses.getLast().equals(address);
        if (!known && address.matches("[0-9a-fA-F.:%]{2,64}")) {
            addresses.add(address);
        }
    }

    private static Optional<JsonNode> sent(HttpCall call) {
        return call.body().length == 0 || ResourcePath.parse(call.path()) == null
                ? Optional.empty()
                : decoded(call.header("content-type"), call.body());
    }

    /** Empty for what is no object of the API: the request itself says what is wrong with that. */
    static Optional<JsonNode> decoded(String contentType, byte[] body) {
        try {
            String type = Bodies.mediaType(contentType);
            if (type.equals(ProtobufDecoder.MEDIA_TYPE)) {
                return Optional.of(ProtobufDecoder.decode(body));
            }
            if (type.contains("yaml")) {
                return Optional.ofNullable(Yaml.decode(body));
            }
            return type.contains("json") || type.isEmpty() ? Optional.of(Json.decode(body)) : Optional.empty();
        } catch (IOException | RuntimeException unreadable) {
            return Optional.empty();
        }
    }

    /** Sees the answer go by. */
    private static final class Observed extends PassedOnReply {
        private final AuditRecord log;
        private volatile int streamed;
        private volatile boolean handedOver;

        Observed(AuditRecord log, HttpReply reply) {
            super(reply);
            this.log = log;
        }

        /** Written before the answer goes out, so that whoever has it finds it written. */
        @Override
        public void send(int status, Map<String, String> headers, List<String> warnings, List<byte[]> pieces) {
            if (log.wantsResponse()) {
                decoded(headers.getOrDefault("content-type", ""), Represent.join(pieces))
                        .ifPresent(log::responded);
            }
            log.complete(status);
            super.send(status, headers, warnings, pieces);
        }

        @Override
        public Stream stream(int status, Map<String, String> headers) {
            begins(status);
            return super.stream(status, headers);
        }

        @Override
        public Stream stream(int status, HttpHeaders headers) {
            begins(status);
            return super.stream(status, headers);
        }

        private void begins(int status) {
            streamed = status;
            log.started(status);
        }

        @Override
        public void upgrade(Upgrade upgrade) {
            handedOver = true;
            begins(101);
            super.upgrade((ChannelHandlerContext context, FullHttpRequest request) -> {
                context.channel().closeFuture().addListener(closed -> log.complete(101));
                upgrade.takeOver(context, request);
            });
        }

        /** A stream is at its end when its handler returns; a connection that was handed over, when it is closed. */
        void returned() {
            if (!handedOver) {
                log.complete(streamed);
            }
        }
    }
}
