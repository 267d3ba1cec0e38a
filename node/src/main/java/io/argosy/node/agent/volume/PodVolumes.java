package io.argosy.node.agent.volume;

import io.argosy.api.status.ApiException;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.node.agent.env.ConfigSource;
import io.argosy.node.agent.env.DownwardValues;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.agent.spec.HugePages;
import io.argosy.node.files.FileFailure;
import io.argosy.node.files.MountCalls;
import io.argosy.node.files.Privilege;
import io.argosy.node.files.Trees;
import io.argosy.node.image.Image;
import io.fabric8.kubernetes.api.model.EmptyDirVolumeSource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The volumes of the node's pods: made before a pod starts, kept current while it runs, removed after it. Everything a pod has
 * on disk lies in one folder named by its uid, so that what a killed agent left behind can be found by looking.
 */
public final class PodVolumes {
    private static final int ANYONE = 0777;

    private final Path pods;
    private final ConfigSource configs;
    private final PodTokens tokens;
    private final SoleUse soleUse;
    private final Claims claims;

    public PodVolumes(Path pods, ConfigSource configs, TokenSource tokens, Client client, Clock clock) {
        this.pods = pods;
        this.configs = configs;
        this.tokens = new PodTokens(tokens, clock);
        soleUse = new SoleUse(pods);
        claims = new Claims(client, soleUse);
    }

    /** The pod's own folder on this node. */
    public Path folder(String uid) {
        return pods.resolve(uid);
    }

    /** Makes every volume ready and says where each lies. May be repeated. Throws {@link VolumeException}. */
    public Map<String, Path> setUp(Pod pod, DownwardValues downward) {
        Map<String, Path> ready = new LinkedHashMap<>();
        Payloads payloads = new Payloads(pod, configs, downward, tokens);
        for (Volume volume : pod.getSpec().getVolumes()) {
            try {
                ready.put(volume.getName(), setUp(pod, volume, payloads, downward));
            } catch (IOException e) {
                throw failed(volume, FileFailure.say(e), e);
            } catch (VolumeException e) {
                throw e.isWhole() ? e : failed(volume, e.getMessage(), e);
            } catch (ApiException e) {
                throw failed(volume, e.getMessage(), e);
            }
        }
        return ready;
    }

    private static VolumeException failed(Volume volume, String message, Exception cause) {
        return new VolumeException(
                "MountVolume.SetUp failed for volume \"" + volume.getName() + "\" : " + message, cause);
    }

    private Path setUp(Pod pod, Volume volume, Payloads payloads, DownwardValues downward) throws IOException {
        if (Payloads.isPayload(volume)) {
            Path path = path(pod, volume);
            fill(path, volume, payloads, pod);
            return path;
        }
        if (volume.getHostPath() != null) {
            return HostPaths.check(
                    Path.of(volume.getHostPath().getPath()),
                    volume.getHostPath().getType());
        }
        if (volume.getPersistentVolumeClaim() != null || volume.getEphemeral() != null) {
            Claims.Place place = claims.place(pod, volume, path(pod, volume));
            boolean written = volume.getPersistentVolumeClaim() == null
                    || !Boolean.TRUE.equals(volume.getPersistentVolumeClaim().getReadOnly());
            if (place.ownable() && written) {
                Ownership.give(place.path(), pod);
            }
            return place.path();
        }
        if (volume.getNfs() != null) {
            return Nfs.mount(volume.getNfs(), false, List.of(), path(pod, volume));
        }
        if (volume.getImage() != null) {
            return Files.createDirectories(path(pod, volume)); // filled when the first container that mounts it starts
        }
        if (volume.getEmptyDir() != null) {
            return emptyDir(pod, volume, downward);
        }
        throw Drivers.missing(volume.getName(), volume.getName(), Drivers.of(volume));
    }

    /** Writes what has changed; false if nothing has. What a Secret, a token or a pod says of itself is kept off the disk. */
    private static boolean fill(Path path, Volume volume, Payloads payloads, Pod pod) throws IOException {
        Map<String, AtomicFolder.Entry> files = payloads.of(volume);
        if (inMemory(volume)) {
            MountCalls.memory(path, "0755");
        }
        return new AtomicFolder(path).write(files, Ownership.group(pod));
    }

    /** Whether the volume takes memory, not disk. Whoever is not root has no real pods, and mounts nothing. */
    public static boolean inMemory(Volume volume) {
        if (volume.getEmptyDir() != null) {
            String medium = volume.getEmptyDir().getMedium();
            return "Memory".equals(medium) || HugePages.isMedium(medium);
        }
        return Payloads.isPayload(volume) && volume.getConfigMap() == null && Privilege.isRoot();
    }

    /** Lets the volume show the content of its image, which is on the node. May be repeated. */
    public void mountImage(Pod pod, Volume volume, Image image) {
        try {
            ImageVolumes.mount(image, path(pod, volume));
        } catch (IOException e) {
            throw failed(volume, FileFailure.say(e), e);
        }
    }

    /** For the parts of volumes that a container mounts, while it is being made. */
    public SubPaths subPaths(Pod pod, String container) {
        return new SubPaths(folder(PodFacts.uid(pod)).resolve("volume-subpaths", container));
    }

    private Path emptyDir(Pod pod, Volume volume, DownwardValues downward) throws IOException {
        EmptyDirVolumeSource source = volume.getEmptyDir();
        Path path = path(pod, volume);
        boolean inMemory = "Memory".equals(source.getMedium());
        boolean found = Files.isDirectory(path);
        Files.createDirectories(path);
        boolean unmounted = (inMemory || HugePages.isMedium(source.getMedium())) && !Mounts.mounted(path);
        if (inMemory && unmounted) {
            List<String> options = new ArrayList<>(List.of("mode=0777"));
            MemorySize.of(pod, source, downward).ifPresent(bytes -> options.add("size=" + bytes));
            Mounts.mount("tmpfs", options, "tmpfs", path);
        }
        if (!inMemory && unmounted) {
            long page = HugePages.pageOf(pod, source)
                    .orElseThrow(() -> new VolumeException("medium HugePages can only be used if the container requests"
                            + " specify huge pages of one size"));
            Mounts.mount("hugetlbfs", List.of("pagesize=" + (page >> 10) + "K"), "nodev", path);
        }
        if (!found || unmounted) {
            AtomicFolder.setMode(path, ANYONE);
            Ownership.give(path, pod);
        }
        return path;
    }

    /**
     * Brings the files made from ConfigMaps, Secrets and pod fields up to date, each volume by itself: one whose source is gone keeps
     * what it shows, and the others go on.
     */
    public Refreshed refresh(Pod pod, DownwardValues downward) {
        boolean changed = false;
        List<VolumeException> failures = new ArrayList<>();
        Payloads payloads = new Payloads(pod, configs, downward, tokens);
        for (Volume volume : pod.getSpec().getVolumes()) {
            if (Payloads.isPayload(volume)) {
                try {
                    changed |= fill(path(pod, volume), volume, payloads, pod);
                } catch (IOException e) {
                    failures.add(failed(volume, FileFailure.say(e), e));
                } catch (RuntimeException e) {
                    failures.add(failed(volume, String.valueOf(e.getMessage()), e));
                }
            }
        }
        return new Refreshed(changed, failures);
    }

    /** Whether any file changed, and what could not be brought up to date. */
    public record Refreshed(boolean changed, List<VolumeException> failures) {}

    /** Whether the pod has volumes that {@link #refresh} must look after. */
    public static boolean needsRefresh(Pod pod) {
        return pod.getSpec().getVolumes().stream().anyMatch(Payloads::isPayload);
    }

    /** Unmounts and deletes all the pod has on this node's disk. */
    public void tearDown(String uid) {
        tokens.forget(uid);
        Path folder = folder(uid);
        try {
            Mounts.unmountBelow(folder);
            Trees.delete(folder);
        } catch (IOException e) {
            throw new VolumeException("cannot remove " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Unmounts the volumes of all pods of a node that nobody runs any more. */
    public static void unmountAll(Path node) throws IOException {
        Mounts.unmountBelow(node);
    }

    /** Unmounts what is mounted in the pod's folder, and keeps the folder. */
    public void unmount(String uid) {
        try {
            Mounts.unmountBelow(folder(uid));
        } catch (IOException e) {
            throw new VolumeException("cannot unmount below " + folder(uid) + ": " + e.getMessage(), e);
        }
    }

    /** The uids of all pods that have a folder here. */
    public List<String> known() {
        List<String> uids = new ArrayList<>();
        if (Files.isDirectory(pods)) {
            try (DirectoryStream<Path> folders = Files.newDirectoryStream(pods)) {
                folders.forEach(folder -> uids.add(folder.getFileName().toString()));
            } catch (IOException e) {
                throw new VolumeException("cannot list " + pods + ": " + e.getMessage(), e);
            }
        }
        return uids;
    }

    /** Where the volume lies on the node's own disk or memory, if it is one that lives and dies with its pod. */
    public Optional<Path> ownFolder(Pod pod, Volume volume) {
        return Payloads.isPayload(volume) || volume.getEmptyDir() != null
                ? Optional.of(path(pod, volume))
                : Optional.empty();
    }

    /** Where the data of a claim lies that the pod uses by this volume; empty for other volumes, and for what is not a folder. */
    public Optional<PlacedClaim> claim(Pod pod, Volume volume) {
        if (volume.getPersistentVolumeClaim() == null && volume.getEphemeral() == null) {
            return Optional.empty();
        }
        return claims.folder(pod, volume, path(pod, volume))
                .map(folder -> new PlacedClaim(Claims.name(pod, volume), folder));
    }

    /** A claim and where its data lies. */
    public record PlacedClaim(String claim, Path path) {}

    /** Kubelet's layout, because people look there. */
    private Path path(Pod pod, Volume volume) {
        String plugin = volume.getConfigMap() != null
                ? "configmap"
                : volume.getSecret() != null
                        ? "secret"
                        : volume.getDownwardAPI() != null
                                ? "downward-api"
                                : volume.getProjected() != null
                                        ? "projected"
                                        : volume.getImage() != null
                                                ? "image"
                                                : volume.getNfs() != null || volume.getEmptyDir() == null
                                                        ? "nfs"
                                                        : "empty-dir";
        return folder(PodFacts.uid(pod)).resolve("volumes", "kubernetes.io~" + plugin, volume.getName());
    }
}
