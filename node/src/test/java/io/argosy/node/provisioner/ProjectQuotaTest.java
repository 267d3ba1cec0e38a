package io.argosy.node.provisioner;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.files.DiskSpace;
import io.argosy.node.files.Projects;
import io.argosy.node.files.SmallDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes stay within what they were made for, where the file system can hold them to it. */
class ProjectQuotaTest {
    private static final long MEBIBYTE = 1 << 20;

    @TempDir
    Path home;

    static Stream<Arguments> mounts() {
        String root = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw";
        String data = "23 22 8:2 / /data rw,relatime shared:2 - xfs /dev/sdb1 rw,attr2,prjquota";
        return Stream.of(
                Arguments.of("on the root, which has none", List.of(root, data), "/home/argosy/volumes", false),
                Arguments.of("below a mount that has it", List.of(root, data), "/data/volumes", true),
                Arguments.of("beside it", List.of(root, data), "/database", false),
                Arguments.of("XFS's other word", List.of(root, data.replace("prjquota", "pquota")), "/data/x", true),
                Arguments.of("counted only", List.of(root, data.replace("prjquota", "pqnoenforce")), "/data/x", false),
                Arguments.of(
                        "mounted over", List.of(root, data, data.replace("prjquota", "noquota")), "/data/x", false),
                Arguments.of(
                        "with a space in its name",
                        List.of(root, data.replace("/data", "/my\\040data")),
                        "/my data/x",
                        true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mounts")
    void itIsOnWhereTheMountSaysSo(String name, List<String> mountInfo, String path, boolean on) {
        assertThat(ProjectQuota.isOn(mountInfo, Path.of(path))).isEqualTo(on);
    }

    @Test
    void aFileSystemWithoutItHasVolumesAllTheSame() throws IOException {
        try (SmallDisk disk = SmallDisk.mount(home.resolve("disk.img"), home.resolve("volumes"))) {
            FolderDisk volumes = new FolderDisk(home.resolve("volumes"));
            Path volume = volumes.make("pvc-1", MEBIBYTE);
            Files.write(volume.resolve("file"), new byte[(int) (2 * MEBIBYTE)]);
            volumes.resize(volume, 4 * MEBIBYTE);
            volumes.remove(volume);
            assertThat(volume).doesNotExist();
            assertThatThrownBy(() -> Projects.limit(home.resolve("volumes"), 5, MEBIBYTE))
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void aVolumeHoldsWhatItWasMadeForAndMoreWhenItHasGrown(String type) throws IOException {
        try (SmallDisk disk = limitedDisk(type)) {
            FolderDisk volumes = new FolderDisk(home.resolve("volumes"));
            Path volume = volumes.make("pvc-1", MEBIBYTE);
            Path other = volumes.make("pvc-2", 4 * MEBIBYTE);
            assertThat(DiskSpace.of(volume).capacity()).isEqualTo(MEBIBYTE);
            assertThat(Projects.of(volume)).isPresent().isNotEqualTo(Projects.of(other));

            assertThat(written(volume)).isLessThanOrEqualTo(MEBIBYTE).isGreaterThan(MEBIBYTE / 2);
            assertThat(written(other)).isGreaterThan(3 * MEBIBYTE);

            volumes.resize(volume, 2 * MEBIBYTE);
            assertThat(DiskSpace.of(volume).capacity()).isEqualTo(2 * MEBIBYTE);
            assertThat(written(volume)).isGreaterThan(MEBIBYTE);
            assertThat(volumes.make("pvc-1", 2 * MEBIBYTE)).as("asked again").isEqualTo(volume);
            int project = Projects.of(volume).getAsInt();
            volumes.remove(volume);
            eventually("XFS removes what was deleted a little later", () -> isFree(project));
            assertThat(Projects.of(volumes.make("pvc-1", MEBIBYTE))).hasValue(project);
        }
    }

    private boolean isFree(int project) {
        try {
            return !Projects.isUsed(home.resolve("volumes"), project);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SmallDisk limitedDisk(String type) throws IOException {
        try {
            return SmallDisk.mount(
                    home.resolve("disk.img"),
                    home.resolve("volumes"),
                    320 * MEBIBYTE,
                    type.equals("xfs")
                            ? List.of("mkfs.xfs", "-q")
                            : List.of("mkfs.ext4", "-q", "-O", "quota,project", "-E", "quotatype=prjquota"),
                    "prjquota");
        } catch (SmallDisk.Unmountable e) {
            String why = "this kernel has no project quota for " + type
                    + (type.equals("xfs") ? " (CONFIG_XFS_QUOTA)" : " (CONFIG_QFMT_V2)");
            System.out.println("SKIPPED: " + why);
            return Assumptions.abort(why);
        }
    }

    /** How many bytes a file takes until there is no more room; who writes it is a root as containers have it, which may not go beyond quotas. */
    private static long written(Path volume) throws IOException {
        Path file = volume.resolve("file");
        Process writer = new ProcessBuilder(
                        "setpriv",
                        "--bounding-set",
                        "-sys_resource",
                        "dd",
                        "if=/dev/zero",
                        "of=" + file,
                        "bs=16k",
                        "conv=fsync")
                .redirectErrorStream(true)
                .start();
        String said = new String(writer.getInputStream().readAllBytes());
        assertThat(said).containsAnyOf("Disk quota exceeded", "No space left on device");
        return Files.size(file);
    }
}
