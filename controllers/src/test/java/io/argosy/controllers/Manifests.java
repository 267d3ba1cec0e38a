package io.argosy.controllers;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import java.util.Map;

/** The objects that users write, as the server would have defaulted them. */
public final class Manifests {
    private Manifests() {}

    public static PodTemplateSpec template(String app, String image) {
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .addToLabels("app", app)
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(30L)
                .addNewContainer()
                .withName("main")
                .withImage(image)
                .addNewPort()
                .withName("http")
                .withContainerPort(80)
                .withProtocol("TCP")
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }

    public static Deployment deployment(String name, int replicas, String image) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .addToAnnotations("kubernetes.io/change-cause", "first")
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withProgressDeadlineSeconds(600)
                .withRevisionHistoryLimit(10)
                .withNewSelector()
                .withMatchLabels(Map.of("app", name))
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxSurge(new IntOrString(1))
                .withMaxUnavailable(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withTemplate(template(name, image))
                .endSpec()
                .build();
    }

    public static ReplicaSet replicaSet(String name, int replicas) {
        return new ReplicaSetBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .withMatchLabels(Map.of("app", name))
                .endSelector()
                .withTemplate(template(name, "nginx:1.7.9"))
                .endSpec()
                .build();
    }

    public static Pod pod(String name, Map<String, String> labels) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .withSpec(template(name, "nginx:1.7.9").getSpec())
                .build();
    }

    public static Service service(String name, Map<String, String> selector) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withType("ClusterIP")
                .withClusterIP("10.96.0.10")
                .withIpFamilies("IPv4")
                .withSelector(selector)
                .addNewPort()
                .withName("web")
                .withPort(8080)
                .withProtocol("TCP")
                .withTargetPort(new IntOrString("http"))
                .endPort()
                .endSpec()
                .build();
    }
}
