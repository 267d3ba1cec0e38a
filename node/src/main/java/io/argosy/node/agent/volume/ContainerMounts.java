package io.argosy.node.agent.volume;

import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.runtime.Mount;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a container sees which volume, or which part of it. */
public final class ContainerMounts {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerMounts.class);

    private ContainerMounts() {}

    /**
     * The expansion is for subPathExpr, the parts are open as long as the container is being made, and recursive says whether the runtime
     * can make what is mounted below a volume read-only too. Throws {@link ConfigException}
     * when a mount names what is not there.
     */
    public static List<Mount> of(
            Pod pod,
            Container container,
            Map<String, Path> volumes,
            UnaryOperator<String> expand,
            SubPaths parts,
            boolean recursive) {
        List<Mount> mounts = new ArrayList<>();
        for (VolumeMount mount : container.getVolumeMounts()) {
            Path volume = volumes.get(mount.getName());
            if (volume == null) {
                throw new ConfigException("cannot find volume \"" + mount.getName() + "\" to mount into container \""
                        + container.getName() + "\"");
            }
            String part =
                    mount.getSubPathExpr() != null && !mount.getSubPathExpr().isEmpty()
                            ? expand.apply(mount.getSubPathExpr())
                            : mount.getSubPath();
            Path source = part == null || part.isEmpty() ? volume : subPath(volume, part, container, mount, parts);
            mounts.add(new Mount(
                    source,
                    mount.getMountPath(),
                    Boolean.TRUE.equals(mount.getReadOnly())
                            || isOne(pod, mount.getName(), ContainerMounts::alwaysReadOnly),
                    recursiveAsAsked(mount, recursive),
                    propagation(mount.getMountPropagation()),
                    isOne(pod, mount.getName(), v -> v.getImage() != null)));
        }
        return mounts;
    }

    /** The API has seen to it that such a mount is read-only and nothing comes to it later; not every kernel can have it. */
    public static boolean recursive(VolumeMount mount, boolean possible) {
        return possible
                && ("Enabled".equals(mount.getRecursiveReadOnly())
                        || "IfPossible".equals(mount.getRecursiveReadOnly()));
    }

    private static boolean recursiveAsAsked(VolumeMount mount, boolean possible) {
        if ("Enabled".equals(mount.getRecursiveReadOnly()) && !possible) {
            throw new ConfigException("volume \"" + mount.getName()
                    + "\" requested recursive read-only mode, but it is not supported by the runtime");
        }
        return recursive(mount, possible);
    }

    /** The part must lie inside the volume, links followed: what a container wrote there must not lead out of it, even meanwhile. */
    private static Path subPath(Path volume, String part, Container container, VolumeMount mount, SubPaths parts) {
        Path wanted = Path.of(part);
        boolean climbs = false;
        for (Path step : wanted) {
            climbs |= step.toString().equals("..");
        }
        if (wanted.isAbsolute()) {
            throw new ConfigException("error SubPath `" + part + "` must not be an absolute path");
        }
        if (climbs) {
            throw new ConfigException("unable to provision SubPath `" + part + "`: must not contain '..'");
        }
        String complaint = "failed to prepare subPath for volumeMount \"" + mount.getName() + "\" of container \""
                + container.getName() + "\"";
        try {
            return parts.show(volume, wanted);
        } catch (IOException e) {
            LOG.warn("{}: {}", complaint, e.toString());
            throw new ConfigException(complaint);
        }
    }

    private static boolean isOne(Pod pod, String volume, Predicate<Volume> kind) {
        return pod.getSpec().getVolumes().stream()
                .filter(v -> v.getName().equals(volume))
                .anyMatch(kind);
    }

    private static boolean alwaysReadOnly(Volume volume) {
        var claim = volume.getPersistentVolumeClaim();
        return Payloads.isPayload(volume)
                || volume.getImage() != null
                || (claim != null && Boolean.TRUE.equals(claim.getReadOnly()));
    }

    private static Mount.Propagation propagation(String name) {
        return switch (name == null ? "None" : name) {
            case "HostToContainer" -> Mount.Propagation.HOST_TO_CONTAINER;
            case "Bidirectional" -> Mount.Propagation.BIDIRECTIONAL;
            default -> Mount.Propagation.PRIVATE;
        };
    }
}
