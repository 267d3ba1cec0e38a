package io.argosy.node.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/**
 * Why a file could not be had, in the system's words. Java names some reasons only by the exception's class, which says nothing to
 * somebody who reads an event.
 */
public final class FileFailure {
    /** What a write to an open file says, which knows no path. */
    private static final String NO_SPACE = "No space left on device";

    private FileFailure() {}

    /** The path, where it is known, and what is wrong with it: {@code /data/x: no space left on device}. */
    public static String say(IOException failure) {
        if (!(failure instanceof FileSystemException named)) {
            return failure.getMessage() == null
                    ? failure.toString()
                    : failure.getMessage().replace(NO_SPACE, plain(NO_SPACE));
        }
        String reason = reason(named);
        return named.getFile() == null ? reason : named.getFile() + ": " + reason;
    }

    private static String reason(FileSystemException failure) {
        if (failure.getReason() != null) {
            return plain(failure.getReason());
        }
        return switch (failure) {
            case NoSuchFileException missing -> "no such file or directory";
            case FileAlreadyExistsException there -> "file exists";
            case AccessDeniedException denied -> "permission denied";
            case NotDirectoryException file -> "not a directory";
            case DirectoryNotEmptyException full -> "directory not empty";
            default -> failure.getClass().getSimpleName();
        };
    }

    /** The C library begins its sentences with a capital; events carry them in the middle of one. */
    private static String plain(String message) {
        return message.isEmpty() ? message : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }
}
