package io.argosy.node.image;

/**
 * What a layer may contain, so that a hostile one can neither fill the disk nor plant device files.
 *
 * @param bytes most bytes one layer may unfold to
 * @param entries most files, folders and links in one layer
 * @param devices whether device files are made (root only); without it they are left out, the runtime provides /dev
 */
public record UnpackPolicy(long bytes, long entries, boolean devices) {
    public static final UnpackPolicy DEFAULT = new UnpackPolicy(32L << 30, 2_000_000, false);
}
