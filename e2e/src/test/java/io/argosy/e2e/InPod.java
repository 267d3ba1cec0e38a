package io.argosy.e2e;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.util.Config;

/** A program that runs in a pod and is told nothing: each client finds the cluster, and who it is there, by itself. */
final class InPod {
    private InPod() {}

    public static void main(String[] arguments) throws Exception {
        try (KubernetesClient fabric8 = new KubernetesClientBuilder().build()) {
            String found =
                    fabric8.configMaps().withName("for-pods").get().getData().get("key");
            System.out.println("fabric8 in " + fabric8.getNamespace() + " read " + found);
        }
        String found = new CoreV1Api(Config.defaultClient())
                .readNamespacedConfigMap("for-pods", "inside")
                .execute()
                .getData()
                .get("key");
        System.out.println("the official client read " + found);
        System.exit(0); // its pool of threads would go on for a while
    }
}
