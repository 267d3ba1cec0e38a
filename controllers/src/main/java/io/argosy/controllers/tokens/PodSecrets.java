package io.argosy.controllers.tokens;

import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The Secrets that a pod names, wherever it can name one. */
final class PodSecrets {
    private final Set<String> names = new HashSet<>();

    private PodSecrets() {}

    static Set<String> of(Pod pod) {
        PodSecrets secrets = new PodSecrets();
        PodSpec spec = pod.getSpec();
        spec.getImagePullSecrets().forEach(secrets::add);
        Stream.of(spec.getInitContainers(), spec.getContainers())
                .flatMap(List::stream)
                .forEach(container -> secrets.environment(container.getEnv(), container.getEnvFrom()));
        spec.getEphemeralContainers()
                .forEach(container -> secrets.environment(container.getEnv(), container.getEnvFrom()));
        spec.getVolumes().forEach(secrets::volume);
        return secrets.names;
    }

    private void environment(List<EnvVar> variables, List<EnvFromSource> sources) {
        variables.stream()
                .map(EnvVar::getValueFrom)
                .filter(Objects::nonNull)
                .map(source -> source.getSecretKeyRef())
                .filter(Objects::nonNull)
                .forEach(key -> add(key.getName()));
        sources.stream()
                .map(EnvFromSource::getSecretRef)
                .filter(Objects::nonNull)
                .forEach(secret -> add(secret.getName()));
    }

    private void volume(Volume volume) {
        if (volume.getSecret() != null) {
            add(volume.getSecret().getSecretName());
        }
        if (volume.getProjected() != null) {
            volume.getProjected().getSources().stream()
                    .map(source -> source.getSecret())
                    .filter(Objects::nonNull)
                    .forEach(secret -> add(secret.getName()));
        }
        if (volume.getCsi() != null) {
            add(volume.getCsi().getNodePublishSecretRef());
        }
        if (volume.getAzureFile() != null) {
            add(volume.getAzureFile().getSecretName());
        }
        if (volume.getCephfs() != null) {
            add(volume.getCephfs().getSecretRef());
        }
        if (volume.getCinder() != null) {
            add(volume.getCinder().getSecretRef());
        }
        if (volume.getFlexVolume() != null) {
            add(volume.getFlexVolume().getSecretRef());
        }
        if (volume.getIscsi() != null) {
            add(volume.getIscsi().getSecretRef());
        }
        if (volume.getRbd() != null) {
            add(volume.getRbd().getSecretRef());
        }
        if (volume.getScaleIO() != null) {
            add(volume.getScaleIO().getSecretRef());
        }
        if (volume.getStorageos() != null) {
            add(volume.getStorageos().getSecretRef());
        }
    }

    private void add(LocalObjectReference secret) {
        if (secret != null) {
            add(secret.getName());
        }
    }

    private void add(String name) {
        if (name != null && !name.isEmpty()) {
            names.add(name);
        }
    }
}
