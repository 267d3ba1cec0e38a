package io.argosy.node.agent.volume;

import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.volume.AtomicFolder.Entry;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ProjectedVolumeSource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The files that a configMap, secret, downwardAPI or projected volume shows, made from what it refers to. */
final class Payloads {
    private static final int DEFAULT_MODE = 0644;
    private static final int TOKEN_MODE = 0600;

    private final Pod pod;
    private final ConfigSource configs;
    private final DownwardValues downward;
    private final PodTokens tokens;

    Payloads(Pod pod, ConfigSource configs, DownwardValues downward, PodTokens tokens) {
        this.pod = pod;
        this.configs = configs;
        this.downward = downward;
        this.tokens = tokens;
    }

    /** Whether a volume's files are made here at all. */
    static boolean isPayload(Volume volume) {
        return volume.getConfigMap() != null
                || volume.getSecret() != null
                || volume.getDownwardAPI() != null
                || volume.getProjected() != null;
    }

    /** Paths relative to the volume, and what they hold. Throws {@link VolumeException}. */
    Map<String, Entry> of(Volume volume) {
        Map<String, Entry> files = new TreeMap<>();
        if (volume.getConfigMap() != null) {
            var source = volume.getConfigMap();
            configMap(source.getName(), source.getItems(), source.getOptional(), mode(source.getDefaultMode()), files);
        } else if (volume.getSecret() != null) {
            var source = volume.getSecret();
            secret(
                    source.getSecretName(),
                    source.getItems(),
                    source.getOptional(),
                    mode(source.getDefaultMode()),
                    files);
        } else if (volume.getDownwardAPI() != null) {
            var source = volume.getDownwardAPI();
            downward(source.getItems(), mode(source.getDefaultMode()), files);
        } else {
            projected(volume.getProjected(), files);
        }
        return files;
    }

    private void projected(ProjectedVolumeSource source, Map<String, Entry> files) {
        int mode = mode(source.getDefaultMode());
        for (VolumeProjection part : source.getSources()) {
            if (part.getConfigMap() != null) {
                var from = part.getConfigMap();
                configMap(from.getName(), from.getItems(), from.getOptional(), mode, files);
            } else if (part.getSecret() != null) {
                var from = part.getSecret();
                secret(from.getName(), from.getItems(), from.getOptional(), mode, files);
            } else if (part.getDownwardAPI() != null) {
                downward(part.getDownwardAPI().getItems(), mode, files);
            } else if (part.getServiceAccountToken() != null) {
                token(part.getServiceAccountToken(), mode, files);
            } else if (part.getClusterTrustBundle() != null) {
                var from = part.getClusterTrustBundle();
                files.put(safe(from.getPath()), new Entry(TrustAnchors.of(from, configs.trustBundles()), mode));
            }
        }
    }

    private void configMap(String name, List<KeyToPath> items, Boolean optional, int mode, Map<String, Entry> files) {
        boolean mayMiss = Boolean.TRUE.equals(optional);
        Optional<ConfigMap> map = configs.configMap(PodFacts.namespace(pod), name);
        if (map.isEmpty() && !mayMiss) {
            throw new VolumeException("configmap \"" + name + "\" not found");
        }
        Map<String, byte[]> data = new TreeMap<>();
        map.map(ConfigMap::getData)
                .orElse(Map.of())
                .forEach((key, value) -> data.put(key, value.getBytes(StandardCharsets.UTF_8)));
        map.map(ConfigMap::getBinaryData)
                .orElse(Map.of())
                .forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
        select(data, items, mayMiss, mode, "references non-existent config key: ", files);
    }

    private void secret(String name, List<KeyToPath> items, Boolean optional, int mode, Map<String, Entry> files) {
        boolean mayMiss = Boolean.TRUE.equals(optional);
        Optional<Secret> secret = configs.secret(PodFacts.namespace(pod), name);
        if (secret.isEmpty() && !mayMiss) {
            throw new VolumeException("secret \"" + name + "\" not found");
        }
        Map<String, byte[]> data = new TreeMap<>();
        secret.map(Secret::getData)
                .orElse(Map.of())
                .forEach((key, value) -> data.put(key, Base64.getDecoder().decode(value)));
        select(data, items, mayMiss, mode, "references non-existent secret key: ", files);
    }

    private static void select(
            Map<String, byte[]> data,
            List<KeyToPath> items,
            boolean mayMiss,
            int mode,
            String complaint,
            Map<String, Entry> files) {
        if (items.isEmpty()) {
            data.forEach((key, value) -> files.put(safe(key), new Entry(value, mode)));
            return;
        }
        for (KeyToPath item : items) {
            byte[] value = data.get(item.getKey());
            if (value != null) {
                files.put(safe(item.getPath()), new Entry(value, item.getMode() == null ? mode : item.getMode()));
            } else if (!mayMiss) {
                throw new VolumeException(complaint + item.getKey());
            }
        }
    }

    private void downward(List<DownwardAPIVolumeFile> items, int mode, Map<String, Entry> files) {
        for (DownwardAPIVolumeFile item : items) {
            String value;
            try {
                if (item.getFieldRef() != null) {
                    value = downward.field(item.getFieldRef().getFieldPath());
                } else {
                    String name = item.getResourceFieldRef().getContainerName();
                    Container about = PodFacts.container(pod, name)
                            .orElseThrow(() -> new VolumeException("container " + name + " not found"));
                    value = downward.resource(about, item.getResourceFieldRef());
                }
            } catch (IllegalArgumentException e) {
                throw new VolumeException(e.getMessage(), e);
            }
            int itsMode = item.getMode() == null ? mode : item.getMode();
            files.put(safe(item.getPath()), new Entry(value.getBytes(StandardCharsets.UTF_8), itsMode));
        }
    }

    /** A token is for the user that all containers run as, and for the group of the pod's volumes, where the pod says either. */
    private void token(ServiceAccountTokenProjection source, int mode, Map<String, Entry> files) {
        OptionalLong owner = Ownership.user(pod);
        boolean told = owner.isPresent() || Ownership.group(pod).isPresent();
        tokens.get(pod, source)
                .ifPresent(token -> files.put(
                        safe(source.getPath()),
                        new Entry(token.getBytes(StandardCharsets.UTF_8), told ? TOKEN_MODE : mode, owner)));
    }

    /** A path that stays inside the volume; the API server refuses others, and so do we. */
    private static String safe(String path) {
        Path relative = Path.of(path);
        boolean climbs = relative.isAbsolute() || path.isEmpty();
        for (Path part : relative) {
            climbs |= part.toString().equals("..");
        }
        if (climbs || path.startsWith("..")) {
            throw new VolumeException("invalid path: must not be absolute nor contain '..': " + path);
        }
        return relative.normalize().toString();
    }

    private static int mode(Integer mode) {
        return mode == null ? DEFAULT_MODE : mode;
    }
}
