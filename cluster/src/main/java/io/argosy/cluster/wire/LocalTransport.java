package io.argosy.cluster.wire;

import io.argosy.client.ApiTransport;
import io.argosy.server.rest.LocalApi;
import java.util.Locale;

/** The client's door to an API server in the same process. */
public final class LocalTransport implements ApiTransport {
    private static final byte[] NOTHING = new byte[0];

    private final LocalApi api;

    public LocalTransport(LocalApi api) {
        this.api = api;
    }

    @Override
    public Response send(Request request) {
        LocalApi.Reply reply = api.send(call(request));
        return new Response(reply.json(), reply.revision());
    }

    @Override
    public Watch watch(Request request, WatchSink sink) {
        Runnable end;
        try {
            end = api.watch(call(request), new LocalApi.Events() {
                @Override
                public void event(String type, byte[] object, long revision) {
                    sink.event(type, object, revision);
                }

                @Override
                public void closed(RuntimeException cause) {
                    sink.closed(cause);
                }
            });
        } catch (RuntimeException refusal) {
            sink.closed(refusal);
            return () -> {};
        }
        return end::run;
    }

    private static LocalApi.Call call(Request request) {
        return new LocalApi.Call(
                request.verb().name().replace("_", "").toLowerCase(Locale.ROOT),
                request.groupVersion(),
                request.resource(),
                request.namespace(),
                request.name(),
                request.subresource(),
                request.query(),
                request.contentType() == null ? "" : request.contentType(),
                request.body() == null ? NOTHING : request.body());
    }
}
