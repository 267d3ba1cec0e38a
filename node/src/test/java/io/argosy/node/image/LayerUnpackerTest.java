package io.argosy.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.argosy.node.files.Privilege;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layers written by an enemy stay in their folder; honest ones arrive as they were. */
class LayerUnpackerTest {
    @TempDir
    Path folder;

    private Path target;
    private Path outside;

    @BeforeEach
    void folders() throws IOException {
        target = Files.createDirectory(folder.resolve("layer"));
        outside = Files.createDirectory(folder.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "untouched");
    }

    private void unpack(Layers layers) throws IOException {
        unpack(layers.tar(), UnpackPolicy.DEFAULT);
    }

    private void unpack(byte[] tar, UnpackPolicy policy) throws IOException {
        try (LayerUnpacker unpacker = new LayerUnpacker(target, policy)) {
            unpacker.unpack(new ByteArrayInputStream(tar));
        }
    }

    private void outsideIsUntouched() {
        assertThat(outside).isDirectoryNotContaining(p -> !p.endsWith("secret"));
        assertThat(outside.resolve("secret")).hasContent("untouched");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside/evil", "a/../../outside/evil", "/../outside/evil", ".."})
    void namesThatClimbOutAreRefused(String name) {
        assertThatThrownBy(() -> unpack(new Layers().file(name, "evil"))).hasMessageContaining("leads outside");
        outsideIsUntouched();
    }

    @Test
    void absoluteNamesLandInside() throws IOException {
        unpack(new Layers().file("/etc/passwd", "inside"));
        assertThat(target.resolve("etc/passwd")).hasContent("inside");
    }

    @Test
    void writingThroughALinkStaysInside() throws IOException {
        unpack(new Layers()
                .symlink("abs", outside.toString())
                .file("abs/evil", "evil")
                .symlink("rel", "../../../../../../../../.." + outside)
                .file("rel/evil2", "evil")
                .symlink("up", "..")
                .file("up/outside/evil3", "evil"));

        outsideIsUntouched();
        assertThat(target.resolve(outside.toString().substring(1)).resolve("evil"))
                .hasContent("evil");
        assertThat(target.resolve("outside/evil3")).hasContent("evil");
    }

    @Test
    void aFileInPlaceOfALinkReplacesTheLinkAndNotItsTarget() throws IOException {
        unpack(new Layers().symlink("x", outside.resolve("secret").toString()).file("x", "new"));
        outsideIsUntouched();
        assertThat(target.resolve("x")).isRegularFile().hasContent("new");
    }

    @Test
    void linkLoopsEnd() {
        assertThatThrownBy(() ->
                        unpack(new Layers().symlink("a", "b").symlink("b", "a").file("a/x", "")))
                .hasMessageContaining("too many links");
    }

    @Test
    void hardLinksReachOnlyFilesOfTheLayer() throws IOException {
        assertThatThrownBy(() -> unpack(new Layers().hardLink("x", "../outside/secret")))
                .hasMessageContaining("leads outside");
        assertThatThrownBy(() -> unpack(
                        new Layers().hardLink("x", outside.resolve("secret").toString())))
                .hasMessageContaining("no such file");
        assertThatThrownBy(() ->
                        unpack(new Layers().symlink("l", outside.toString()).hardLink("x", "l/secret")))
                .hasMessageContaining("no such file");
        outsideIsUntouched();

        unpack(new Layers().file("one", "1").hardLink("two", "one"));
        assertThat(Files.getAttribute(target.resolve("two"), "unix:nlink")).isEqualTo(2);
    }

    @Test
    void foldersDoNotOpenTheWayThroughALinkEither() throws IOException {
        unpack(new Layers().symlink("d", outside.toString()).folder("d").file("d/f", "x"));
        outsideIsUntouched();
        assertThat(target.resolve("d")).isDirectory();
        assertThat(Files.isSymbolicLink(target.resolve("d"))).isFalse();
    }

    @Test
    void whiteoutsCannotNameThePlacesAbove() {
        assertThatThrownBy(() -> unpack(new Layers().file("a/.wh...", ""))).hasMessageContaining("hides nothing");
        assertThatThrownBy(() -> unpack(new Layers().file(".wh.", ""))).hasMessageContaining("hides nothing");
    }

    @Test
    void bombsAreDefused() {
        byte[] zeros = new Layers().file("zeros", new byte[5_000]).tar();
        assertThatThrownBy(() -> unpack(zeros, new UnpackPolicy(4_999, 10, false)))
                .hasMessageContaining("more than 4999 bytes");
        byte[] many = new Layers().folder("a").folder("b").folder("c").tar();
        assertThatThrownBy(() -> unpack(many, new UnpackPolicy(10, 2, false)))
                .hasMessageContaining("more than 2 entries");
        TarArchiveEntry name = Layers.entry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME);
        byte[] longName =
                new Layers().entry(name, "x".repeat(3_000_000)).file("y", "").tar();
        assertThatThrownBy(() -> unpack(longName, UnpackPolicy.DEFAULT)).hasMessageContaining("malformed tar header");
    }

    @Test
    void truncatedAndRandomTarsAreErrorsAndNotCrashes() {
        byte[] tar = new Layers().file("a", "a".repeat(2000)).tar();
        assertThatThrownBy(() -> unpack(java.util.Arrays.copyOf(tar, 1500), UnpackPolicy.DEFAULT))
                .isInstanceOf(IOException.class);
        byte[] noise = new byte[4096];
        new java.util.Random(3).nextBytes(noise);
        assertThatThrownBy(() -> unpack(noise, UnpackPolicy.DEFAULT)).isInstanceOf(IOException.class);
    }

    @Test
    void deviceFilesAreMadeOnlyWhereAllowed() throws IOException {
        unpack(new Layers().device("null", 1, 3).file("after", "x"));
        assertThat(target.resolve("null")).doesNotExist();
        assertThat(target.resolve("after")).hasContent("x");
        assumeTrue(Privilege.isRoot(), "skipped: device files need root");
        unpack(new Layers().device("null", 1, 3).tar(), new UnpackPolicy(1, 1, true));
        assertThat(Files.getAttribute(target.resolve("null"), "unix:rdev")).isEqualTo(0x103L);
    }

    @Test
    void ownersModesTimesAttributesAndForeignNamesArrive() throws IOException {
        TarArchiveEntry file = Layers.entry("d/főtanúsítvány", TarConstants.LF_NORMAL);
        file.setMode(04750);
        file.setUserId(1234);
        file.setGroupId(4321);
        file.setLastModifiedTime(FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        file.addPaxHeader("SCHILY.xattr.user.note", "kept");
        file.addPaxHeader("SCHILY.xattr.trusted.overlay.redirect", "/etc");
        TarArchiveEntry directory = Layers.entry("d/", TarConstants.LF_DIR);
        directory.setMode(0711);
        directory.setLastModifiedTime(FileTime.from(Instant.parse("2002-02-03T04:05:06Z")));
        unpack(new Layers().entry(directory, "").entry(file, "x"));

        Path made;
        try (var list = Files.list(target.resolve("d"))) {
            made = list.findFirst().orElseThrow();
        }
        assertThat(made.toUri().getPath()).endsWith("/főtanúsítvány");
        assertThat((int) Files.getAttribute(made, "unix:mode") & 07777).isEqualTo(04750);
        assertThat(Files.getLastModifiedTime(made).toInstant()).isEqualTo("2001-02-03T04:05:06Z");
        assertThat(Files.getLastModifiedTime(target.resolve("d")).toInstant()).isEqualTo("2002-02-03T04:05:06Z");
        assertThat(attributes(made)).contains("user.note").doesNotContain("trusted.overlay.redirect");
        if (Privilege.isRoot()) {
            assertThat(Files.getAttribute(made, "unix:uid")).isEqualTo(1234);
            assertThat(Files.getAttribute(made, "unix:gid")).isEqualTo(4321);
        }
    }

    private static List<String> attributes(Path file) throws IOException {
        var view = Files.getFileAttributeView(file, java.nio.file.attribute.UserDefinedFileAttributeView.class);
        return view.list().stream().map(name -> "user." + name).toList();
    }

    @Test
    void whiteoutsHideWhatLiesBelowWhenOverlayfsStacksTheLayers() throws IOException {
        assumeTrue(Privilege.isRoot(), "skipped: mounting needs root");
        unpack(new Layers()
                .file("gone", "1")
                .file("stays", "1")
                .file("full/old", "1")
                .file("swapped/old", "1"));
        Path lower = target;
        target = Files.createDirectory(folder.resolve("upper"));
        unpack(new Layers()
                .file(".wh.gone", "")
                .folder("full")
                .file("full/.wh..wh..opq", "")
                .file("full/new", "2")
                .file(".wh.swapped", "")
                .file("swapped/new", "2"));
        Path merged = Files.createDirectory(folder.resolve("merged"));

        String script = "mount -t overlay overlay -o ro,lowerdir=" + target + ":" + lower + " " + merged + " && cd "
                + merged + " && find . -type f | sort";
        String seen = Tool.run(Duration.ofSeconds(20), List.of("unshare", "-m", "sh", "-c", script));
        assertThat(seen.lines()).containsExactly("./full/new", "./stays", "./swapped/new");
        assertThat(Files.exists(target.resolve("gone"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void aWhiteoutDoesNotTouchWhatItsOwnLayerBrings() throws IOException {
        unpack(new Layers().file("kept", "x").file(".wh.kept", ""));
        assertThat(Files.readString(target.resolve("kept"), StandardCharsets.UTF_8))
                .isEqualTo("x");
    }
}
