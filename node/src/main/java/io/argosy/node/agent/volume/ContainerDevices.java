package io.argosy.node.agent.volume;

import io.argosy.node.agent.env.ConfigException;
import io.argosy.node.agent.model.PodFacts;
import io.argosy.node.runtime.Device;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeDevice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Block volumes as a container sees them: device nodes. */
public final class ContainerDevices {
    private ContainerDevices() {}

    /** Throws {@link ConfigException} when a device names what is not there. */
    public static List<Device> of(Pod pod, Container container, Map<String, Path> volumes) {
        List<Device> devices = new ArrayList<>();
        for (VolumeDevice device : container.getVolumeDevices()) {
            Path volume = volumes.get(device.getName());
            if (volume == null) {
                throw new ConfigException("cannot find volume \"" + device.getName() + "\" to pass into container \""
                        + container.getName() + "\"");
            }
            devices.add(new Device(volume, device.getDevicePath(), readOnly(pod, device.getName()) ? "r" : "mrw"));
        }
        return devices;
    }

    private static boolean readOnly(Pod pod, String volume) {
        return pod.getSpec().getVolumes().stream()
                .filter(v -> v.getName().equals(volume))
                .anyMatch(v -> v.getPersistentVolumeClaim() != null
                        && Boolean.TRUE.equals(v.getPersistentVolumeClaim().getReadOnly()));
    }

    /** Whether any container of the pod wants the volume as a device. */
    static boolean wanted(Pod pod, String volume) {
        return PodFacts.all(pod).stream()
                .flatMap(container -> container.getVolumeDevices().stream())
                .anyMatch(device -> device.getName().equals(volume));
    }

    /** Whether any container of the pod wants the volume as a folder. */
    static boolean mounted(Pod pod, String volume) {
        return PodFacts.all(pod).stream()
                .flatMap(container -> container.getVolumeMounts().stream())
                .anyMatch(mount -> mount.getName().equals(volume));
    }
}
