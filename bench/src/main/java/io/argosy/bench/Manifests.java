package io.argosy.bench;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The objects that the benchmarks make, and where they go. */
final class Manifests {
    /** What Deployments run here. */
    static final String IMAGE = "nginx:1.7.9";

    static final String KIBIBYTE = "x".repeat(1024);
    /** Makes a pod as large as one of a real cluster is, with what it was last applied from, its conditions and their history. */
    private static final String HISTORY = "h".repeat(3700);

    static final String NODES = "/api/v1/nodes";

    private Manifests() {}

    static String maps(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    static String pods(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/pods";
    }

    static String deployments(String namespace) {
        return "/apis/apps/v1/namespaces/" + namespace + "/deployments";
    }

    static String namespace(String name) {
        return """
            {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}""".formatted(name);
    }

    static String serviceAccounts(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/serviceaccounts";
    }

    static String serviceAccount(String name) {
        return """
            {"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"%s"}}""".formatted(name);
    }

    static String map(String namespace, String name) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\""
                + namespace + "\"},\"data\":{\"value\":\"" + KIBIBYTE + "\"}}";
    }

    /** A pod of some 5 KB that no scheduler feels called upon to place. */
    static String unscheduledPod(String name) {
        return """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"name":"%s","labels":{"app":"bench"},"annotations":{"bench/history":"%s"}},
             "spec":{"schedulerName":"nobody",
                     "containers":[{"name":"main","image":"%3$s","ports":[{"containerPort":80}],
                                    "resources":{"requests":{"cpu":"10m","memory":"16Mi"}}}]}}""".formatted(name, HISTORY, IMAGE);
    }

    /** A pod that runs and does nothing until it is told to end. */
    static String sleepingPod(String name, String image) {
        return """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},
             "spec":{"terminationGracePeriodSeconds":0,
                     "containers":[{"name":"main","image":"%s","imagePullPolicy":"Never",
                                    "command":["/bin/busybox","sleep","1000000"]}]}}""".formatted(name, image);
    }

    static String deployment(String name, int replicas) {
        return """
            {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"%1$s"},
             "spec":{"replicas":%2$d,"selector":{"matchLabels":{"app":"%1$s"}},
                     "template":{"metadata":{"labels":{"app":"%1$s"}},
                                 "spec":{"containers":[{"name":"main","image":"%3$s",
                                                        "resources":{"requests":{"cpu":"10m","memory":"16Mi"}}}]}}}}""".formatted(name, replicas, IMAGE);
    }

    /** A node that is ready for pods, as of this moment. */
    static String node(String name, Instant now) {
        return """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"},
             "status":{"capacity":{"cpu":"32","memory":"256Gi","pods":"110"},
                       "allocatable":{"cpu":"32","memory":"256Gi","pods":"110"},
                       "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"ready",
                                      "lastHeartbeatTime":"%s"}]}}""".formatted(name, now.truncatedTo(ChronoUnit.SECONDS));
    }

    static String services(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/services";
    }

    static String slices(String namespace) {
        return "/apis/discovery.k8s.io/v1/namespaces/" + namespace + "/endpointslices";
    }

    /** A pod that serves short pages on port 8080 until it is told to end. */
    static String servingPod(String name, String image) {
        return """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%1$s","labels":{"app":"%1$s"}},
             "spec":{"terminationGracePeriodSeconds":0,
                     "containers":[{"name":"main","image":"%2$s","imagePullPolicy":"Never",
                                    "command":["/bin/busybox","httpd","-f","-p","8080"]}]}}""".formatted(name, image);
    }

    /** The selector is an object, or null for a Service whose endpoints somebody else writes. */
    static String service(String name, String selector) {
        return """
            {"apiVersion":"v1","kind":"Service","metadata":{"name":"%s"},
             "spec":{"selector":%s,"ports":[{"port":80,"targetPort":8080}]}}""".formatted(name, selector);
    }

    /** The one endpoint of the Service of the same name. */
    static String slice(String service, String address, int port) {
        return """
            {"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","addressType":"IPv4",
             "metadata":{"name":"%1$s","labels":{"kubernetes.io/service-name":"%1$s"}},
             "endpoints":[{"addresses":["%2$s"],"conditions":{"ready":true}}],
             "ports":[{"name":"","protocol":"TCP","port":%3$d}]}""".formatted(service, address, port);
    }
}
