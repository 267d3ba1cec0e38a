package io.argosy.examples.sidecar;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.TypedClient;
import io.argosy.client.controller.Controller;
import io.argosy.client.http.HttpTransport;
import io.argosy.client.http.Kubeconfig;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import java.io.IOException;
import java.security.GeneralSecurityException;

/** Puts a proxy into pods, and tells the proxies what share of the traffic goes where. */
public final class SidecarInjector {
    private static final String CONFIGURATION = "sidecar-injector";

    private SidecarInjector() {}

    /** Runs in a pod; the argument is the host name of its service. With MODE=initializer it works as was done before there were webhooks. */
    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        Clock clock = Clock.system();
        String host = arguments[0];
        try (HttpTransport transport = new HttpTransport(Kubeconfig.find(""));
                SharedInformers informers = new SharedInformers(transport, clock);
                SharedInformers everything = new SharedInformers(new Initializer.Early(transport), clock)) {
            TypedClient client = new TypedClient(transport, CONFIGURATION);
            Injection injection = new Injection(client, host);
            WeightAgent agent = new WeightAgent(informers.of(TrafficSplit.class));
            informers.start();
            if (!"initializer".equals(System.getenv("MODE"))) {
                Identity identity = Identity.of(host, clock);
                new Webhook(injection).start(identity);
                trust(client, identity);
                agent.serve();
            } else {
                Initializer initializer = new Initializer(everything.of(Pod.class), client, injection);
                try (Controller controller = Controller.named("initializer", everything, clock)
                        .watches(Pod.class)
                        .reconciler(initializer::reconcile)) {
                    everything.start();
                    controller.start();
                    agent.serve();
                }
            }
        }
    }

    private static void trust(TypedClient client, Identity identity) throws GeneralSecurityException {
        ArrayNode patch = Json.NODES.arrayNode();
        patch.addObject()
                .put("op", "add")
                .put("path", "/webhooks/0/clientConfig/caBundle")
                .put("value", identity.caBundle());
        client.resources(MutatingWebhookConfiguration.class).patch("", CONFIGURATION, PatchType.JSON, patch);
    }
}
