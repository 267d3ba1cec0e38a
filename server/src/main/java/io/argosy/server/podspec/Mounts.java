package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the volumes of a pod stand in one of its containers. */
final class Mounts {
    private final Spot container;
    private final Map<String, JsonNode> volumes;
    private final Set<String> further;

    Mounts(Spot container, Map<String, JsonNode> volumes, Set<String> further) {
        this.container = container;
        this.volumes = volumes;
        this.further = further;
    }

    void check() {
        Set<String> names = new HashSet<>();
        Set<String> paths = new HashSet<>();
        Set<String> asDevices = new HashSet<>();
        Set<String> asDevicePaths = new HashSet<>();
        for (Spot device : container.each("volumeDevices")) {
            asDevices.add(device.text("name"));
            asDevicePaths.add(device.text("devicePath"));
        }
        for (Spot mount : container.each("volumeMounts")) {
            known(mount.at("name"));
            names.add(mount.text("name"));
            Spot place = mount.at("mountPath");
            if (place.needed() && !paths.add(place.text())) {
                place.invalid("must be unique");
            }
            if (asDevices.contains(mount.text("name"))) {
                mount.at("name").invalid("must not already exist in volumeDevices");
            }
            if (asDevicePaths.contains(place.text())) {
                place.invalid("must not already exist as a path in volumeDevices");
            }
            mount(mount);
        }
        Set<String> devices = new HashSet<>();
        Set<String> devicePaths = new HashSet<>();
        for (Spot device : container.each("volumeDevices")) {
            device(device, devices, devicePaths);
            if (names.contains(device.text("name"))) {
                device.at("name").invalid("must not already exist in volumeMounts");
            }
            if (paths.contains(device.text("devicePath"))) {
                device.at("devicePath").invalid("must not already exist as a path in volumeMounts");
            }
        }
    }

    private void known(Spot name) {
        if (name.needed() && !volumes.containsKey(name.text()) && !further.contains(name.text())) {
            name.notFound();
        }
    }

    private void mount(Spot mount) {
        mount.at("subPath").descendingPath();
        mount.at("subPathExpr").descendingPath();
        if (!mount.text("subPathExpr").isEmpty() && !mount.text("subPath").isEmpty()) {
            mount.at("subPathExpr").invalid("subPathExpr and subPath are mutually exclusive");
        }
        Spot propagation = mount.at("mountPropagation");
        propagation.oneOf(List.of("Bidirectional", "HostToContainer", "None"));
        if (propagation.text().equals("Bidirectional")
                && !container.at("securityContext").isTrue("privileged")) {
            propagation.forbidden("Bidirectional mount propagation is available only to privileged containers");
        }
        Spot recursive = mount.at("recursiveReadOnly");
        recursive.oneOf(List.of("Disabled", "Enabled", "IfPossible"));
        if (List.of("Enabled", "IfPossible").contains(recursive.text())) {
            if (!mount.isTrue("readOnly")) {
                recursive.forbidden("may only be specified when readOnly is true");
            }
            if (propagation.isGiven() && !propagation.text().equals("None")) {
                recursive.forbidden("may only be specified when mountPropagation is None or not specified");
            }
        }
    }

    private void device(Spot device, Set<String> names, Set<String> paths) {
        Spot name = device.at("name");
        known(name);
        JsonNode volume = volumes.get(name.text());
        if (volume != null && !volume.has("persistentVolumeClaim") && !volume.has("ephemeral")) {
            name.invalid("can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
        }
        if (!names.add(name.text())) {
            name.invalid("must be unique");
        }
        Spot path = device.at("devicePath");
        if (path.needed()) {
            if (!paths.add(path.text())) {
                path.invalid("must be unique");
            }
            if (List.of(path.text().split("/")).contains("..")) {
                path.invalid("can not contain backsteps ('..')");
            }
        }
    }
}
