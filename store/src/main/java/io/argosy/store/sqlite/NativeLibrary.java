package io.argosy.store.sqlite;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Keeps SQLite's native library in the store's folder: the driver would unpack it again, and compare it byte by byte, at
 * every start.
 */
final class NativeLibrary {
    private static final Logger log = LoggerFactory.getLogger(NativeLibrary.class);
    private static boolean prepared;

    private NativeLibrary() {}

    /** Points the driver at the library unpacked earlier, or unpacks it; the driver falls back to its own way. */
    static synchronized void prepare(Path folder) {
        if (prepared || System.getProperty("org.sqlite.lib.path") != null) {
            return;
        }
        String version = SQLiteJDBCLoader.getVersion();
        Path home = folder.resolve("native").resolve(version + "-" + System.getProperty("os.arch"));
        Path library = home.resolve(LibraryLoaderUtil.getNativeLibName());
        try {
            if (!Files.exists(library)) {
                unpack(library);
            }
            System.setProperty("org.sqlite.lib.path", home.toString());
            System.setProperty("org.sqlite.tmpdir", home.toString());
        } catch (IOException e) {
            log.info("SQLite's library cannot be kept in {}; starting takes a little longer. ({})", home, e.toString());
        }
        prepared = true;
    }

    private static void unpack(Path library) throws IOException {
        String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName();
        Modes.createFolder(library.getParent());
        try (InputStream in = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
            if (in == null) {
                return; // not a platform the driver brings a library for: it will look elsewhere, and say so
            }
            Path half = Files.createTempFile(library.getParent(), "unpacking", "");
            Files.copy(in, half, StandardCopyOption.REPLACE_EXISTING);
            Files.move(half, library, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
