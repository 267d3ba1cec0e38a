package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** The kernel's limits of huge pages, where its control groups have them: who asked for none gets none. */
final class HugeTlb {
    private static final Path SIZES = Path.of("/sys/kernel/mm/hugepages");

    private HugeTlb() {}

    /** Without the controller nothing can be limited, as in containerd. */
    static boolean limited(boolean unifiedCgroups) {
        Path groups = Path.of("/sys/fs/cgroup");
        try {
            return unifiedCgroups
                    ? List.of(Files.readString(groups.resolve("cgroup.controllers"))
                                    .strip()
                                    .split(" "))
                            .contains("hugetlb")
                    : Files.isDirectory(groups.resolve("hugetlb"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sizes of pages that this kernel has, in bytes. */
    static SortedSet<Long> pages() {
        SortedSet<Long> sizes = new TreeSet<>();
        if (Files.isDirectory(SIZES)) {
            try (DirectoryStream<Path> each = Files.newDirectoryStream(SIZES, "hugepages-*kB")) {
                each.forEach(size ->
                        sizes.add(Long.parseLong(size.getFileName().toString().replaceAll("\\D+", "")) << 10));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sizes;
    }

    static ArrayNode limits(Map<Long, Long> wanted, SortedSet<Long> pages) {
        ArrayNode limits = Json.array(List.of());
        for (long page : pages) {
            limits.addObject().put("pageSize", name(page)).put("limit", wanted.getOrDefault(page, 0L));
        }
        return limits;
    }

    /** As runc and the kernel's files call it: 64KB, 2MB, 1GB. */
    static String name(long page) {
        return page >= 1 << 30 ? (page >> 30) + "GB" : page >= 1 << 20 ? (page >> 20) + "MB" : (page >> 10) + "KB";
    }
}
