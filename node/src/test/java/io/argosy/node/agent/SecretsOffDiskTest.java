package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real container gets of a Secret, as files and as variables, is on no disk of its node. */
class SecretsOffDiskTest extends RealNodeFixture {
    private static final String PLANTED = "planted-5f1c9b";

    SecretsOffDiskTest() {
        super("secret-test", 87);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aContainerSeesItsSecretAndTheDiskDoesNot(boolean hostUsers) throws Exception {
        client.resources(Secret.class)
                .create(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName("keys")
                        .endMetadata()
                        .addToData("key", base64(PLANTED))
                        .build());
        client.resources(Pod.class)
                .create(pod("a", "sleep", "1000")
                        .editSpec()
                        .withHostUsers(hostUsers)
                        .addNewVolume()
                        .withName("keys")
                        .withNewSecret()
                        .withSecretName("keys")
                        .endSecret()
                        .endVolume()
                        .editContainer(0)
                        .addNewVolumeMount()
                        .withName("keys")
                        .withMountPath("/keys")
                        .withReadOnly(true)
                        .endVolumeMount()
                        .addNewEnv()
                        .withName("KEY")
                        .withNewValueFrom()
                        .withNewSecretKeyRef("key", "keys", false)
                        .endValueFrom()
                        .endEnv()
                        .endContainer()
                        .endSpec()
                        .build());

        eventually("ready", () -> ready("a"));

        assertThat(exec("a", "cat", "/keys/key")).isEqualTo(PLANTED);
        assertThat(exec("a", "env")).contains("KEY=" + PLANTED);
        assertThat(exec("a", "grep", " /keys ", "/proc/mounts")).contains(" tmpfs ");
        assertThat(onDisk(root))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .doesNotContain(PLANTED));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** All files below a folder that lie on its own disk, but for what they come from. */
    private static List<Path> onDisk(Path folder) throws IOException {
        Object disk = device(folder);
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path entered, BasicFileAttributes attributes) throws IOException {
                return device(entered).equals(disk) ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && attributes.size() < 1 << 20) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private static Object device(Path file) throws IOException {
        return Files.getAttribute(file, "unix:dev", LinkOption.NOFOLLOW_LINKS);
    }
}
