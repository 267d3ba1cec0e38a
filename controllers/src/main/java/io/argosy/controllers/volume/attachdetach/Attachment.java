package io.argosy.controllers.volume.attachdetach;

import io.argosy.controllers.volume.Claims;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.fabric8.kubernetes.api.model.storage.VolumeError;

/**
 * What is: one volume's attachment to the node that is looked at.
 *
 * @param error why it could not be attached so far; empty if nothing is known against it
 * @param errorTime when that was said
 */
record Attachment(String name, String uid, boolean attached, boolean deleting, String error, String errorTime) {
    static Attachment of(VolumeAttachment object) {
        return new Attachment(
                object.getMetadata().getName(),
                object.getMetadata().getUid(),
                isAttached(object),
                Claims.isDeleting(object),
                error(object) == null ? "" : Claims.text(error(object).getMessage()),
                error(object) == null ? "" : Claims.text(error(object).getTime()));
    }

    /** The node it is for; empty where it names none. */
    static String nodeOf(VolumeAttachment object) {
        return object.getSpec() == null ? "" : Claims.text(object.getSpec().getNodeName());
    }

    /** The PersistentVolume it is of; empty where it is of none. */
    static String volumeOf(VolumeAttachment object) {
        return object.getSpec() == null || object.getSpec().getSource() == null
                ? ""
                : Claims.text(object.getSpec().getSource().getPersistentVolumeName());
    }

    static boolean isAttached(VolumeAttachment object) {
        return object.getStatus() != null
                && Boolean.TRUE.equals(object.getStatus().getAttached());
    }

    /** Why the volume could not be attached, or null. */
    static VolumeError error(VolumeAttachment object) {
        return object.getStatus() == null || isAttached(object)
                ? null
                : object.getStatus().getAttachError();
    }

    boolean failed() {
        return !error.isEmpty() || !errorTime.isEmpty();
    }
}
