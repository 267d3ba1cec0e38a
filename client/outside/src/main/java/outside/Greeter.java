package outside;

import io.argosy.api.NamespacedName;
import io.argosy.api.time.Clock;
import io.argosy.client.TypedClient;
import io.argosy.client.controller.Controller;
import io.argosy.client.controller.Reconciler.Result;
import io.argosy.client.http.HttpTransport;
import io.argosy.client.http.Kubeconfig;
import io.argosy.client.informer.Informer;
import io.argosy.client.informer.SharedInformers;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A controller of somebody else: it answers a greeting in a ConfigMap, and ends. */
public final class Greeter {
    private Greeter() {}

    public static void main(String[] arguments) throws Exception {
        Clock clock = Clock.system();
        CountDownLatch answered = new CountDownLatch(1);
        HttpTransport transport = new HttpTransport(Kubeconfig.find(arguments.length > 0 ? arguments[0] : ""));
        TypedClient client = new TypedClient(transport, "greeter");
        try (SharedInformers informers = new SharedInformers(transport, clock)) {
            Informer<ConfigMap> maps = informers.of(ConfigMap.class);
            Controller controller = Controller.named("greeter", informers, clock)
                    .watches(ConfigMap.class)
                    .reconciler(key -> {
                        ConfigMap map = maps.get(key).orElse(null);
                        if (map == null || !key.equals(NamespacedName.of("default", "greeting"))) {
                            return Result.done();
                        }
                        if (map.getData().containsKey("answer")) {
                            System.out.println(map.getData().get("hello") + ", " + map.getData().get("answer"));
                            answered.countDown();
                        } else {
                            client.resources(ConfigMap.class).apply(greeting("answer", "I am the server"), false);
                        }
                        return Result.done();
                    });
            informers.start();
            controller.start();
            client.resources(ConfigMap.class).create(greeting("hello", "I am the client"));
            answered.await();
            controller.close();
        }
    }

    private static ConfigMap greeting(String key, String value) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("greeting")
                .endMetadata()
                .withData(Map.of(key, value))
                .build();
    }
}
