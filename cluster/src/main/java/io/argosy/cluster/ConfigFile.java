package io.argosy.cluster;

import io.argosy.cluster.home.HomeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Files in which users say how the cluster is to be; what is wrong with one is told with its name. */
final class ConfigFile {
    private ConfigFile() {}

    /** Makes something of a file's text, or throws an argument exception that says why it cannot. */
    @FunctionalInterface
    interface Reader<T> {
        T of(String text);
    }

    static <T> T read(Path file, Reader<T> reader) {
        try {
            return reader.of(Files.readString(file));
        } catch (NoSuchFileException missing) {
            throw new HomeException("There is no file " + file + ".", missing);
        } catch (IOException e) {
            throw new HomeException("The file " + file + " cannot be read: " + e.getMessage() + ".", e);
        } catch (IllegalArgumentException wrong) {
            throw new HomeException("The file " + file + " is not right: " + wrong.getMessage() + ".", wrong);
        }
    }
}
