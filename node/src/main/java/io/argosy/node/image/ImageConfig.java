package io.argosy.node.image;

import java.util.List;
import java.util.Map;

/**
 * How an image wants to be run, as its config says; nothing is null, what the image leaves out is empty.
 *
 * @param env lines of the form {@code NAME=value}
 * @param user {@code user}, {@code uid}, {@code user:group} or {@code uid:gid}; empty means root
 * @param stopSignal name or number; empty means SIGTERM
 * @param exposedPorts such as {@code 80/tcp}
 * @param volumes paths the image declares as volumes
 */
public record ImageConfig(
        List<String> env,
        List<String> entrypoint,
        List<String> cmd,
        String user,
        String workingDir,
        String stopSignal,
        List<String> exposedPorts,
        List<String> volumes,
        Map<String, String> labels) {
    public static final ImageConfig EMPTY =
            new ImageConfig(List.of(), List.of(), List.of(), "", "", "", List.of(), List.of(), Map.of());

    public ImageConfig {
        env = List.copyOf(env);
        entrypoint = List.copyOf(entrypoint);
        cmd = List.copyOf(cmd);
        exposedPorts = List.copyOf(exposedPorts);
        volumes = List.copyOf(volumes);
        labels = Map.copyOf(labels);
    }
}
