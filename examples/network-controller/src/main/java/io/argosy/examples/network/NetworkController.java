package io.argosy.examples.network;

import io.argosy.api.NamespacedName;
import io.argosy.api.json.Json;
import io.argosy.api.time.Clock;
import io.argosy.client.Resources.PatchType;
import io.argosy.client.TypedClient;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler.Result;
import io.argosy.client.event.ApiEventRecorder;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.event.EventRecorder.Type;
import io.argosy.client.http.HttpTransport;
import io.argosy.client.http.Kubeconfig;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.SharedInformers;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Makes of every Network a bridge on this machine. */
public final class NetworkController {
    private final Bridges bridges = new Bridges();
    private final Informer<Network> networks;
    private final TypedClient client;
    private final EventRecorder events;

    private NetworkController(Informer<Network> networks, TypedClient client, EventRecorder events) {
        this.networks = networks;
        this.client = client;
        this.events = events;
    }

    /** The argument is a kubeconfig; without one the usual places are looked at, and a pod finds its service account. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Clock clock = Clock.system();
        Kubeconfig config = Kubeconfig.find(arguments.length > 0 ? arguments[0] : "");
        try (HttpTransport transport = new HttpTransport(config);
                SharedInformers informers = new SharedInformers(transport, clock)) {
            TypedClient client = new TypedClient(transport, "network-controller");
            String host = InetAddress.getLocalHost().getHostName();
            try (ApiEventRecorder events = new ApiEventRecorder(client, "network-controller", host, clock)) {
                NetworkController self = new NetworkController(informers.of(Network.class), client, events);
                try (Controller controller = Controller.named("network", informers, clock)
                        .watches(Network.class)
                        .workers(1)
                        .reconciler(self::reconcile)) {
                    informers.start();
                    self.bridges.list().keySet().forEach(controller.queue()::add); // of networks that may be gone
                    controller.start();
                    System.out.println("Watching networks at " + config.server());
                    new CountDownLatch(1).await();
                }
            }
        }
    }

    /** Compares what should be with what is, whatever has happened, and does what is missing. */
    private Result reconcile(NamespacedName key) throws IOException, InterruptedException {
        Optional<Network> wanted = networks.get(key);
        Bridges.Bridge found = bridges.list().get(key);
        if (wanted.isEmpty()) {
            if (found != null) {
                bridges.delete(found.name());
            }
            return Result.done();
        }
        Network network = wanted.get();
        if (network.getSpec() == null) {
            events.event(network, Type.Warning, "Incomplete", "There is neither a cidr nor a gateway");
            return Result.done();
        }
        String name = found != null ? found.name() : bridgeOf(key);
        if (found == null) {
            bridges.create(name, key);
            events.event(network, Type.Normal, "BridgeCreated", "Created bridge " + name);
        }
        String address =
                network.getSpec().gateway + "/" + network.getSpec().cidr.split("/")[1];
        if (found == null || !found.address().equals(address)) {
            bridges.address(name, address);
            events.event(network, Type.Normal, "AddressSet", "Bridge " + name + " has " + address);
        }
        if (network.getStatus() == null || !name.equals(network.getStatus().bridge)) {
            var status = Json.object();
            status.putObject("status").put("bridge", name);
            client.resources(Network.class).patchStatus(key.namespace(), key.name(), PatchType.MERGE, status);
        }
        return Result.done();
    }

    /** Names of interfaces have fifteen letters at most. */
    private static String bridgeOf(NamespacedName key) {
        return "net-" + Integer.toHexString(key.hashCode());
    }
}
