package io.argosy.junit.fault;

import io.argosy.api.GroupResource;
import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Request;
import io.argosy.client.ApiTransport.Response;
import io.argosy.client.ApiTransport.Verb;
import io.argosy.junit.Failure;
import java.util.List;
import java.util.Set;

/** What goes wrong between the cluster's parts and its API, as often as the test says: updates that come too late, writes that fail. */
public final class Faults {
    private static final Set<Verb> WRITES =
            Set.of(Verb.CREATE, Verb.UPDATE, Verb.PATCH, Verb.DELETE, Verb.DELETE_COLLECTION);

    private final Lot lot;
    private volatile double conflictRate;
    private volatile Failing failing = new Failing(0, List.of(Failure.values()));

    private record Failing(double rate, List<Failure> ways) {}

    public Faults(Lot lot) {
        this.lot = lot;
    }

    public void conflictRate(double rate) {
        conflictRate = checked(rate);
    }

    /** One way is drawn for each write that fails. */
    public void failureRate(double rate, List<Failure> ways) {
        failing = new Failing(checked(rate), List.copyOf(ways));
    }

    private static double checked(double rate) {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException("a rate lies between 0 and 1, not at " + rate);
        }
        return rate;
    }

    /** The way to the API, with these faults on it. */
    public ApiTransport on(ApiTransport way) {
        return new ApiTransport() {
            @Override
            public Response send(Request request) {
                if (request.verb() == Verb.UPDATE && comesTooLate(request)) {
                    throw ApiException.conflict(
                            new GroupResource(request.groupVersion().group(), request.resource()),
                            request.name(),
                            "the object has been modified; please apply your changes to the latest version and try again");
                }
                Failure failure = WRITES.contains(request.verb()) ? draw(request) : null;
                return failure == null ? way.send(request) : fail(failure, request, way);
            }

            @Override
            public Watch watch(Request request, WatchSink sink) {
                return way.watch(request, sink);
            }
        };
    }

    private static Response fail(Failure failure, Request request, ApiTransport way) {
        throw switch (failure) {
            case INTERNAL_ERROR ->
                new ApiException(Reason.InternalError, "Internal error occurred: this write was made to fail");
            case TOO_MANY_REQUESTS ->
                new ApiException(
                        Reason.TooManyRequests,
                        "the server has received too many requests and has asked us to try again later");
            case TIMEOUT -> timeout();
            case LOST_ANSWER -> {
                way.send(request);
                yield timeout();
            }
        };
    }

    private static ApiException timeout() {
        return new ApiException(
                Reason.Timeout,
                "Timeout: request did not complete within requested timeout - context deadline exceeded");
    }

    /**
     * What becomes of the write, or null if nothing is wrong with it. Heartbeats always come through, as on a clock that a test turns one of
     * them stands for all those in between; and Events, which nobody writes a second time.
     */
    private Failure draw(Request request) {
        Failing now = failing;
        if (now.rate == 0
                || request.resource().equals("events")
                || (request.resource().equals("leases") && request.namespace().equals("kube-node-lease"))) {
            return null;
        }
        var chance = lot.about("failure " + request.verb() + " " + question(request));
        return chance.nextDouble() < now.rate ? now.ways.get(chance.nextInt(now.ways.size())) : null;
    }

    /** Decided by the object and how often it was updated, so that the same updates meet the same fate in every run. */
    private boolean comesTooLate(Request request) {
        return conflictRate > 0 && lot.about("conflict " + question(request)).nextDouble() < conflictRate;
    }

    private static String question(Request request) {
        return request.resource() + "/" + request.subresource() + " " + request.namespace() + "/" + request.name();
    }
}
