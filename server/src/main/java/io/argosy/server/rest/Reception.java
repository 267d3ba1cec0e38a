package io.argosy.server.rest;

import io.argosy.api.status.ApiException;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.flow.Flow;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.http.HttpReply;
import io.argosy.server.metrics.RequestMetrics;
import io.argosy.server.metrics.RequestMetrics.Subject;

/** Where requests come in: each is sorted into its flow, waits there for its seat, and is counted. */
public final class Reception {
    private final FlowControl flows;
    private final RequestMetrics metrics;

    public Reception(FlowControl flows, RequestMetrics metrics) {
        this.flows = flows;
        this.metrics = metrics;
    }

    /** Lets the request in if it need not wait; else null. */
    Visit tryEnter(Action action, Subject subject, HttpReply reply) {
        Flow flow = flows.classify(action);
        Flow.Seat seat = flow.tryEnter();
        if (seat == null) {
            return null;
        }
        Visit visit = new Visit(metrics, subject, false, reply);
        visit.sitsOn(seat);
        reply.with(flow.headers());
        return visit;
    }

    /** Lets the request in when it is its turn; refuses it if that would take too long. */
    Visit enter(Action action, Subject subject, boolean longRunning, HttpReply reply) throws InterruptedException {
        Flow flow = flows.classify(action);
        Visit visit = new Visit(metrics, subject, longRunning, reply);
        reply.with(flow.headers());
        try {
            visit.sitsOn(flow.enter(action));
            return visit;
        } catch (ApiException refusal) {
            visit.refused(refusal.code());
            visit.close();
            throw refusal;
        } catch (InterruptedException stopping) {
            visit.refused(503);
            visit.close();
            throw stopping;
        }
    }

    /** Lets a request in that is a connection rather than work: it takes no seat, however long it lasts. */
    Visit connect(Subject subject, HttpReply reply) {
        return new Visit(metrics, subject, true, reply);
    }
}
