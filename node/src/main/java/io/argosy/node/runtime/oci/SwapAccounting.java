package io.argosy.node.runtime.oci;

import java.nio.file.Files;
import java.nio.file.Path;

/** Whether the kernel can bound memory and swap together; pods get no swap where it can. */
final class SwapAccounting {
    private static final boolean LEGACY = Files.exists(Path.of("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes"));

    private SwapAccounting() {}

    static boolean present(boolean unifiedCgroups) {
        return unifiedCgroups || LEGACY;
    }
}
