package io.argosy.server.rest;

import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.Layer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.flow.Flow;
import io.argosy.server.flow.FlowControl;
import io.argosy.server.flow.Work;
import io.argosy.server.http.HttpCall;
import io.argosy.server.http.HttpReply;
import io.argosy.server.metrics.RequestMetrics;
import io.argosy.server.metrics.RequestMetrics.Subject;
import io.argosy.server.registry.Registry;

/** Where requests come in: each is sorted into its flow, waits there for its seat, and is counted. */
public final class Reception {
    private final FlowControl flows;
    private final Estimates estimates;
    private final RequestMetrics metrics;

    public Reception(Registry registry, FlowControl flows, RequestMetrics metrics) {
        this.flows = flows;
        this.estimates = new Estimates(registry, flows.watches());
        this.metrics = metrics;
    }

    /** Lets the request in if it need not wait; else null. */
    Visit tryEnter(Action action, Subject subject, HttpReply reply) {
        Flow flow = flows.classify(action);
        Flow.Seat seat = flow.tryEnter(Work.ONE);
        if (seat == null) {
            return null;
        }
        Visit visit = new Visit(metrics, subject, false, reply);
        visit.sitsOn(seat);
        reply.with(flow.headers());
        return visit;
    }

    /** Lets a request in that asks nothing of a resource of ours, when it is its turn; refuses it if that would take too long. */
    Visit enter(Action action, Subject subject, HttpReply reply) throws InterruptedException {
        Flow flow = flows.classify(action);
        return enter(flow, action, Work.ONE, new Visit(metrics, subject, false, reply));
    }

    /** Lets a request on a resource in, when there are seats for its work; refuses it if that would take too long. */
    Visit enter(Action action, ResourceType type, HttpCall call, Subject subject, HttpReply reply)
            throws InterruptedException {
        Flow flow = flows.classify(action);
        Work work = estimates.of(action, type, call, flow.widest());
        boolean watch = action.verb().equals("watch");
        Visit visit = enter(flow, action, work, new Visit(metrics, subject, watch, reply));
        if (watch) {
            visit.counts(flows.watches().begun(action));
        }
        return visit;
    }

    private static Visit enter(Flow flow, Action action, Work work, Visit visit) throws InterruptedException {
        visit.with(flow.headers());
        try {
            long begin = System.nanoTime();
            visit.sitsOn(flow.enter(action, work));
            Audit.spent(Layer.APF_QUEUE_WAIT, System.nanoTime() - begin);
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
