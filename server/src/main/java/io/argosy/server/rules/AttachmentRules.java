package io.argosy.server.rules;

import io.argosy.server.validation.Spot;
import java.nio.charset.StandardCharsets;

/** Which volume is to be attached to which node, and by whom. */
public final class AttachmentRules {
    private static final int LARGEST_METADATA = 256 << 10;
    private static final int LONGEST_MESSAGE = 1024;
    private static final String EITHER = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

    private AttachmentRules() {}

    public static void check(Spot attachment) {
        Spot spec = attachment.at("spec");
        StorageNodeRules.driver(spec.at("attacher"));
        source(spec.at("source"));
        spec.at("nodeName").subdomain();
        status(attachment.at("status"));
    }

    private static void status(Spot status) {
        Spot metadata = status.at("attachmentMetadata");
        long size = 0;
        for (var entry : metadata.value().properties()) {
            size += bytes(entry.getKey()) + bytes(entry.getValue().asText());
        }
        if (size > LARGEST_METADATA) {
            metadata.errors().tooLong(metadata.path(), LARGEST_METADATA);
        }
        for (String field : new String[] {"attachError", "detachError"}) {
            Spot error = status.at(field);
            if (error.at("message").bytes() > LONGEST_MESSAGE) { // upstream names the other limit too
                error.errors().tooLong(error.path() + ".message", LARGEST_METADATA);
            }
            error.at("errorCode").between(0, Integer.MAX_VALUE);
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void source(Spot source) {
        Spot volume = source.at("persistentVolumeName");
        boolean inline = source.has("inlineVolumeSpec");
        if (inline && volume.isGiven()) {
            source.forbidden(EITHER);
        } else if (!inline && !volume.isGiven()) {
            source.required(EITHER);
        } else if (!inline && volume.text().isEmpty()) {
            volume.required("must specify non empty persistentVolumeName");
        } else if (!inline) {
            volume.subdomain();
        }
    }
}
