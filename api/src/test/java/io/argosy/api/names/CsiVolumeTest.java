package io.argosy.api.names;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CsiVolumeTest {
    private static final CsiVolume VOLUME = new CsiVolume("disk.example.com", "handle-1");

    @Test
    void aNodeKnowsItByDriverAndHandle() {
        assertThat(VOLUME.uniqueName()).isEqualTo("kubernetes.io/csi/disk.example.com^handle-1");
        assertThat(CsiVolume.named("kubernetes.io/csi/disk.example.com^handle-1"))
                .contains(VOLUME);
        assertThat(CsiVolume.named("kubernetes.io/csi/d^a^b")).contains(new CsiVolume("d", "a^b"));
    }

    @Test
    void volumesOfOtherKindsAreNoneOfIts() {
        assertThat(CsiVolume.named("kubernetes.io/rbd/pool:image")).isEmpty();
        assertThat(CsiVolume.named("kubernetes.io/csi/^handle")).isEmpty();
        assertThat(CsiVolume.named("kubernetes.io/csi/driver")).isEmpty();
    }

    /** The hash is that of {@code printf handle-1disk.example.comn1 | sha256sum}. */
    @Test
    void anAttachmentIsNamedByTheHashOfHandleDriverAndNode() {
        assertThat(VOLUME.attachmentTo("n1"))
                .isEqualTo("csi-cfb8749eecc2677572bb3d24366ec7e1299d848aae9c630388b32ddb528dfefb");
        assertThat(CsiVolume.isAttachmentName(VOLUME.attachmentTo("n1"))).isTrue();
    }

    @Test
    void aNameThatSomebodyChoseIsNotTakenForOne() {
        String hash = VOLUME.attachmentTo("n1").substring("csi-".length());
        assertThat(CsiVolume.isAttachmentName("va-" + hash)).isFalse();
        assertThat(CsiVolume.isAttachmentName("csi-mine")).isFalse();
        assertThat(CsiVolume.isAttachmentName("csi-" + hash.replace(hash.charAt(0), 'X')))
                .isFalse();
    }
}
