package io.argosy.node.image;

/** An image operation failed; the message is fit for a pod event and names the image, the registry and the cause. */
public final class ImageException extends RuntimeException {
    private final Kind kind;

    public ImageException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public ImageException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** The reason a container waits with, in kubelet's words. */
    public String reason() {
        return switch (kind) {
            case INVALID_NAME -> "InvalidImageName";
            case UNAVAILABLE -> "RegistryUnavailable";
            default -> "ErrImagePull";
        };
    }

    /** Whether the same operation may succeed later without anyone changing anything. */
    public boolean retriable() {
        return kind == Kind.UNAVAILABLE || kind == Kind.CORRUPT || kind == Kind.STORAGE;
    }

    /** What went wrong, as far as a caller may act on it. */
    public enum Kind {
        INVALID_NAME,
        NOT_FOUND,
        UNAUTHORIZED,
        UNAVAILABLE,
        CORRUPT,
        UNSUPPORTED,
        TOO_LARGE,
        STORAGE
    }
}
