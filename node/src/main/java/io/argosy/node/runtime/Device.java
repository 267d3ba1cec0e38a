package io.argosy.node.runtime;

import java.nio.file.Path;

/** A device node of the host given to a container, with what may be done to it: some of "rwm". */
public record Device(Path hostPath, String containerPath, String permissions) {}
