package io.argosy.node.agent.env;

import io.argosy.node.agent.model.PodFacts;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.FileKeySelector;
import io.fabric8.kubernetes.api.model.Secret;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A container's environment, made from its spec in kubelet's order: envFrom, then env over it, then Services below both. */
public final class Environment {
    /** Anything printable but an equals sign, as the API allows it. */
    private static final Pattern NAME = Pattern.compile("[ -<>-~]+");

    private final ConfigSource configs;
    private final DownwardValues downward;
    private final Map<String, Path> volumes;

    /** The volumes by name, where they lie. */
    public Environment(ConfigSource configs, DownwardValues downward, Map<String, Path> volumes) {
        this.configs = configs;
        this.downward = downward;
        this.volumes = Map.copyOf(volumes);
    }

    /** The variables, and the keys of envFrom that are no variable names and were left out, by their source. */
    public record Result(Map<String, String> variables, Map<String, List<String>> skipped) {
        public String expand(String text) {
            return Expansion.expand(text, variables::get);
        }

        /** Throws {@link ConfigException} when a variable has no value: a path without it would be another one. */
        public String expandWholly(String text) {
            Set<String> missing = new TreeSet<>();
            String expanded = Expansion.expand(text, name -> {
                String value = variables.getOrDefault(name, "");
                if (value.isEmpty()) {
                    missing.add(name);
                }
                return value;
            });
            if (!missing.isEmpty()) {
                throw new ConfigException("missing value for " + String.join(", ", missing));
            }
            return expanded;
        }

        public List<String> expand(List<String> texts) {
            return texts.stream().map(this::expand).toList();
        }
    }

    /** Throws {@link ConfigException} when something that is not optional is missing. */
    public Result of(Container container, Map<String, String> services) {
        Map<String, String> own = new LinkedHashMap<>();
        Map<String, List<String>> skipped = new LinkedHashMap<>();
        for (EnvFromSource source : container.getEnvFrom()) {
            addAll(source, own, skipped);
        }
        for (EnvVar variable : container.getEnv()) {
            value(container, variable, own, services).ifPresent(v -> own.put(variable.getName(), v));
        }
        Map<String, String> all = new LinkedHashMap<>(services);
        all.putAll(own);
        return new Result(all, skipped);
    }

    private void addAll(EnvFromSource source, Map<String, String> own, Map<String, List<String>> skipped) {
        String prefix = source.getPrefix() == null ? "" : source.getPrefix();
        Map<String, String> values;
        String origin;
        if (source.getConfigMapRef() != null) {
            String name = source.getConfigMapRef().getName();
            Optional<ConfigMap> map =
                    configMap(name, Boolean.TRUE.equals(source.getConfigMapRef().getOptional()));
            values = map.map(ConfigMap::getData).orElse(Map.of());
            origin = "configMap " + PodFacts.namespace(downward.pod()) + "/" + name;
        } else if (source.getSecretRef() != null) {
            String name = source.getSecretRef().getName();
            Optional<Secret> secret =
                    secret(name, Boolean.TRUE.equals(source.getSecretRef().getOptional()));
            values = new TreeMap<>();
            secret.map(Secret::getData).orElse(Map.of()).forEach((k, v) -> values.put(k, decoded(v)));
            origin = "secret " + PodFacts.namespace(downward.pod()) + "/" + name;
        } else {
            return;
        }
        new TreeMap<>(values == null ? Map.of() : values).forEach((key, value) -> {
            String name = prefix + key;
            if (NAME.matcher(name).matches()) {
                own.put(name, value);
            } else {
                skipped.computeIfAbsent(origin, o -> new ArrayList<>()).add(name);
            }
        });
    }

    private Optional<String> value(
            Container container, EnvVar variable, Map<String, String> own, Map<String, String> services) {
        String literal = variable.getValue();
        EnvVarSource from = variable.getValueFrom();
        if (literal != null && !literal.isEmpty()) {
            return Optional.of(
                    Expansion.expand(literal, name -> own.containsKey(name) ? own.get(name) : services.get(name)));
        }
        if (from == null) {
            return Optional.of("");
        }
        try {
            if (from.getFieldRef() != null) {
                return Optional.of(downward.field(from.getFieldRef().getFieldPath()));
            }
            if (from.getResourceFieldRef() != null) {
                String other = from.getResourceFieldRef().getContainerName();
                Container about = other == null || other.isEmpty()
                        ? container
                        : PodFacts.container(downward.pod(), other)
                                .orElseThrow(() -> new ConfigException("container " + other + " not found"));
                return Optional.of(downward.resource(about, from.getResourceFieldRef()));
            }
        } catch (IllegalArgumentException e) {
            throw new ConfigException(e.getMessage());
        }
        if (from.getConfigMapKeyRef() != null) {
            var ref = from.getConfigMapKeyRef();
            return key(
                    "ConfigMap",
                    ref.getName(),
                    ref.getKey(),
                    Boolean.TRUE.equals(ref.getOptional()),
                    configMap(ref.getName(), Boolean.TRUE.equals(ref.getOptional()))
                            .map(ConfigMap::getData));
        }
        if (from.getSecretKeyRef() != null) {
            var ref = from.getSecretKeyRef();
            return key(
                            "Secret",
                            ref.getName(),
                            ref.getKey(),
                            Boolean.TRUE.equals(ref.getOptional()),
                            secret(ref.getName(), Boolean.TRUE.equals(ref.getOptional()))
                                    .map(Secret::getData))
                    .map(Environment::decoded);
        }
        return from.getFileKeyRef() != null ? inFile(from.getFileKeyRef()) : Optional.of("");
    }

    /** A value that another container of the pod has left in a file. */
    private Optional<String> inFile(FileKeySelector ref) {
        Path volume = volumes.get(ref.getVolumeName());
        if (volume == null) {
            throw new ConfigException(
                    "cannot find the volume \"" + ref.getVolumeName() + "\" referenced by FileKeyRef");
        }
        String value = EnvFile.read(volume, ref.getPath(), ref.getKey());
        if (value.isEmpty() && !Boolean.TRUE.equals(ref.getOptional())) {
            throw new ConfigException("environment variable key \"" + ref.getKey() + "\" not found in file \""
                    + volume.resolve(ref.getPath()) + "\"");
        }
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    private Optional<String> key(
            String kind, String name, String key, boolean optional, Optional<Map<String, String>> data) {
        Optional<String> value = data.map(d -> d.get(key));
        if (value.isEmpty() && !optional) {
            throw new ConfigException(
                    "couldn't find key " + key + " in " + kind + " " + PodFacts.namespace(downward.pod()) + "/" + name);
        }
        return value;
    }

    private Optional<ConfigMap> configMap(String name, boolean optional) {
        Optional<ConfigMap> map = configs.configMap(PodFacts.namespace(downward.pod()), name);
        if (map.isEmpty() && !optional) {
            throw new ConfigException("configmap \"" + name + "\" not found");
        }
        return map;
    }

    private Optional<Secret> secret(String name, boolean optional) {
        Optional<Secret> secret = configs.secret(PodFacts.namespace(downward.pod()), name);
        if (secret.isEmpty() && !optional) {
            throw new ConfigException("secret \"" + name + "\" not found");
        }
        return secret;
    }

    private static String decoded(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
