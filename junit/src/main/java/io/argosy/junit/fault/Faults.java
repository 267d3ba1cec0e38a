package io.argosy.junit.fault;

import io.argosy.api.GroupResource;
import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.client.ApiTransport;
import io.argosy.client.ApiTransport.Verb;

/** What goes wrong between the cluster's parts and its API: an update that comes too late, as often as the test says. */
public final class Faults {
    private final Lot lot;
    private volatile double conflictRate;

    public Faults(Lot lot) {
        this.lot = lot;
    }

    public void conflictRate(double rate) {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException("a rate lies between 0 and 1, not at " + rate);
        }
        conflictRate = rate;
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
                return way.send(request);
            }

            @Override
            public Watch watch(Request request, WatchSink sink) {
                return way.watch(request, sink);
            }
        };
    }

    /** Decided by the object and how often it was updated, so that the same updates meet the same fate in every run. */
    private boolean comesTooLate(ApiTransport.Request request) {
        return conflictRate > 0
                && lot.about("conflict " + request.resource() + "/" + request.subresource() + " " + request.namespace()
                                        + "/" + request.name())
                                .nextDouble()
                        < conflictRate;
    }
}
