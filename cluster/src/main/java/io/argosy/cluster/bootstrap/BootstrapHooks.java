package io.argosy.cluster.bootstrap;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;
import io.argosy.server.ApiServer;
import io.argosy.server.FlowUpkeep;
import io.argosy.server.LegacyTokenTracking;
import io.argosy.server.rest.LocalApi;
import java.util.ArrayList;
import java.util.List;

/**
 * What every cluster stores of itself, beside everything else, so that nobody waits for it: the authorizer knows the policy already, and flow
 * control its levels. How each step went stands on the server's health pages, under the name that upstream has for it.
 */
public final class BootstrapHooks implements AutoCloseable {
    private final ApiServer server;
    private final LocalApi api;
    private final Clock clock;
    private final FlowUpkeep flows;
    private final LegacyTokenTracking tracking;
    private final List<Runnable> steps = new ArrayList<>();
    private Thread storing;

    /** With the access of the server itself. */
    public BootstrapHooks(ApiServer server, LocalApi api, Clock clock) {
        this.server = server;
        this.api = api;
        this.clock = clock;
        this.flows = new FlowUpkeep(server.registry(), api, clock);
        this.tracking = new LegacyTokenTracking(server.registry(), clock);
    }

    /** Roles and bindings, which the server takes from memory until then. */
    public BootstrapHooks policy(List<ObjectNode> policy) {
        PolicyBootstrap bootstrap = new PolicyBootstrap(server.registry(), api);
        return add("rbac/bootstrap-roles", () -> {
            if (bootstrap.reconcile(policy)) {
                server.authorizer().expectNothing();
            }
        });
    }

    /** What there always is: levels and schemas of flow control, what is known of old tokens, the range of services, the server's own versions. */
    public BootstrapHooks own(String serviceCidr) {
        add("priority-and-fairness-config-producer", flows::start);
        add("start-legacy-token-tracking-controller", tracking::start);
        add("start-kubernetes-service-cidr-controller", () -> new Bootstrap(api).serviceRange(serviceCidr));
        Runnable registration =
                server.health().hook("kube-apiserver-autoregistration", server.aggregation()::registerOwn);
        steps.add(() -> server.postStart().add(registration));
        return this;
    }

    /** By which authorities servers of aggregated APIs know who asks them. */
    public BootstrapHooks extensionAuthentication(String authorityPem, String frontProxyAuthorityPem) {
        return add(
                "start-cluster-authentication-info-controller",
                () -> new Bootstrap(api).extensionAuthentication(authorityPem, frontProxyAuthorityPem));
    }

    private BootstrapHooks add(String name, Runnable work) {
        steps.add(server.health().hook(name, work));
        return this;
    }

    /** Begins with the first step, and nobody waits for the last. */
    public void start() {
        clock.hold();
        storing = Thread.ofVirtual().name("policy").start(() -> {
            try {
                steps.forEach(Runnable::run);
            } finally {
                steps.clear(); // the policy is in the store now, and takes memory no more
                clock.release();
            }
        });
    }

    @Override
    public void close() throws InterruptedException {
        if (storing != null) {
            storing.join();
        }
        tracking.close();
        flows.close();
    }
}
