package io.argosy.api.names;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A volume of a CSI driver and the names it goes by: in a node's status, and of the object that stands for its attachment to a node. Drivers'
 * programs look for these names, so they are Kubernetes' own.
 */
public record CsiVolume(String driver, String handle) {
    private static final String PLUGIN = "kubernetes.io/csi/";
    private static final char SEPARATOR = '^';
    private static final String ATTACHMENT = "csi-";
    private static final int HASH_DIGITS = 64;

    /** As it stands in volumesInUse and volumesAttached of a node. */
    public String uniqueName() {
        return PLUGIN + driver + SEPARATOR + handle;
    }

    /** The name of the VolumeAttachment for this volume and a node. */
    public String attachmentTo(String node) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((handle + driver + node).getBytes(StandardCharsets.UTF_8));
            return ATTACHMENT + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The volume of that name in a node's status, if it is one of a CSI driver. */
    public static Optional<CsiVolume> named(String uniqueName) {
        int separator = uniqueName.indexOf(SEPARATOR);
        return uniqueName.startsWith(PLUGIN) && separator > PLUGIN.length()
                ? Optional.of(new CsiVolume(
                        uniqueName.substring(PLUGIN.length(), separator), uniqueName.substring(separator + 1)))
                : Optional.empty();
    }

    /** Whether an attachment is called as {@link #attachmentTo} calls them, and not by a name that somebody chose. */
    public static boolean isAttachmentName(String name) {
        return name.length() == ATTACHMENT.length() + HASH_DIGITS
                && name.startsWith(ATTACHMENT)
                && name.chars().skip(ATTACHMENT.length()).allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
    }
}
