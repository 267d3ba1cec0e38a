package io.argosy.junit;

/** Small objects for tests that do not care what they are. */
final class Manifests {
    private Manifests() {}

    static String deployment(String name, int replicas, String image) {
        return """
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: %s
            spec:
              replicas: %d
              selector:
                matchLabels:
                  app: %s
              template:
                metadata:
                  labels:
                    app: %s
                spec:
                  containers:
                  - name: main
                    image: %s
            """.formatted(name, replicas, name, name, image);
    }

    /** A pod with the annotations that say how it behaves. */
    static String pod(String name, String restartPolicy, String... annotations) {
        return """
            apiVersion: v1
            kind: Pod
            metadata:
              name: %s
              annotations:
                %s
            spec:
              restartPolicy: %s
              containers:
              - name: main
                image: app:1
            """.formatted(name, String.join("\n    ", annotations), restartPolicy);
    }
}
