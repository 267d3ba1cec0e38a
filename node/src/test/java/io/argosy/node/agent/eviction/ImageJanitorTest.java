package io.argosy.node.agent.eviction;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeEvents;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.files.DiskSpace;
import io.argosy.node.image.Image;
import io.argosy.node.image.ImageStore;
import io.argosy.node.image.LocalImageStore;
import io.argosy.node.image.Progress;
import io.argosy.node.image.RegistryConfig;
import io.argosy.node.image.TestImages;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images on a file system that really fills. */
class ImageJanitorTest {
    private static final int IMAGE = 4 << 20;
    private static final int DISK = 96 << 20;

    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeRuntime runtime = new FakeRuntime(clock);
    private final FakeEvents events = new FakeEvents();

    @TempDir
    Path folder;

    private Path disk;
    private LocalImageStore images;
    private ImageJanitor janitor;
    private List<PodView> pods = List.of();

    @BeforeEach
    void mount() throws Exception {
        boolean root = System.getProperty("user.name").equals("root");
        if (!root) {
            System.out.println("SKIPPED: a file system of its own size needs root");
        }
        Assumptions.assumeTrue(root, "a file system of its own size needs root");
        disk = Files.createDirectories(folder.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=" + DISK, "tmpfs", disk.toString());
        images = LocalImageStore.open(
                disk.resolve("images"), () -> RegistryConfig.EMPTY, LocalImageStore.Settings.standard());
        janitor = new ImageJanitor(
                asPulled(images), runtime, () -> pods, () -> DiskSpace.of(disk), clock, events, new ObjectReference());
    }

    /** The same store, in which all images but those called "made" have come from a registry. */
    private static ImageStore asPulled(ImageStore store) {
        return (ImageStore) Proxy.newProxyInstance(
                ImageStore.class.getClassLoader(), new Class<?>[] {ImageStore.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("list")) {
                        return method.invoke(store, arguments);
                    }
                    return store.list().stream()
                            .map(image -> new Image(
                                    image.id(),
                                    image.repoTags(),
                                    image.repoTags().getFirst().contains("made")
                                            ? List.of()
                                            : List.of("registry.example.com/some@" + image.id()),
                                    image.size(),
                                    image.layers(),
                                    image.config()))
                            .toList();
                });
    }

    @AfterEach
    void unmount() throws Exception {
        if (images != null) {
            images.close();
            run("umount", "-l", disk.toString());
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    private Image add(String name) throws IOException {
        byte[] content = new byte[IMAGE];
        new Random(name.hashCode()).nextBytes(content);
        return images.importArchive(TestImages.archive(folder.resolve(name), name + ":1", content), Progress.NONE);
    }

    /** Fills the disk until this many percent are in use. */
    private void fill(int percent) throws IOException {
        Files.deleteIfExists(disk.resolve("filler"));
        long missing = (long) DISK * percent / 100 - DiskSpace.of(disk).used();
        Files.write(disk.resolve("filler"), new byte[(int) missing]);
    }

    private List<String> names() {
        return images.list().stream()
                .flatMap(image -> image.repoTags().stream())
                .map(name -> name.replaceAll(".*/(.*):1", "$1"))
                .sorted()
                .toList();
    }

    private long available() {
        try {
            return DiskSpace.of(disk).available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theLongestUnusedImagesGoWhenTheDiskFills() throws Exception {
        add("oldest");
        janitor.look();
        clock.advance(Duration.ofMinutes(10));
        for (String name : List.of("old", "used", "recent")) {
            add(name);
            janitor.look();
            clock.advance(Duration.ofMinutes(10));
        }
        pods = List.of(viewOf("used:1"));

        fill(80);
        janitor.collect();
        assertThat(names()).as("there is room enough").containsExactly("old", "oldest", "recent", "used");

        fill(88);
        janitor.collect();

        assertThat(names()).containsExactly("recent", "used");
        eventually("the room is free", () -> available() >= DISK / 5);
        assertThat(events.lines()).isEmpty();
    }

    @Test
    void whatWasMadeHereStays() throws Exception {
        add("made");
        add("pulled");
        janitor.look();
        clock.advance(Duration.ofMinutes(10));
        fill(99);
        janitor.collectAll();
        assertThat(names()).containsExactly("made");
    }

    @Test
    void whatOnlyEndedPodsNeededGoesAndWhatInitializationNeedsStays() throws Exception {
        add("ended");
        add("preparing");
        janitor.look();
        clock.advance(Duration.ofMinutes(10));
        PodView ended = viewOf("ended:1");
        ended.pod().setStatus(new PodStatusBuilder().withPhase("Succeeded").build());
        PodView preparing = viewOf("none:1");
        preparing
                .pod()
                .getSpec()
                .setInitContainers(List.of(new ContainerBuilder()
                        .withName("init")
                        .withImage("preparing:1")
                        .build()));
        pods = List.of(ended, preparing);

        janitor.collectAll();

        assertThat(names()).containsExactly("preparing");
    }

    @Test
    void whatCannotBeFreedIsSaid() throws Exception {
        add("used");
        pods = List.of(viewOf("used:1"));
        janitor.look();
        clock.advance(Duration.ofMinutes(10));
        add("fresh");
        fill(90);

        janitor.collect();
        janitor.collect();

        assertThat(names()).containsExactly("fresh", "used");
        assertThat(events.lines()).hasSize(3);
        String words = ": Failed to garbage collect required amount of images. Attempted to free ";
        assertThat(events.lines().getFirst())
                .startsWith("FreeDiskSpaceFailed" + words)
                .endsWith(" bytes, but only found 0 bytes eligible to free.");
        assertThat(events.lines().getLast()).startsWith("ImageGCFailed" + words);
    }

    private PodView viewOf(String image) {
        return Uses.view(
                new PodBuilder()
                        .withNewSpec()
                        .addNewContainer()
                        .withImage(image)
                        .endContainer()
                        .endSpec()
                        .build(),
                clock.now());
    }
}
