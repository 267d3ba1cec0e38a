package io.argosy.node.provisioner;

import java.io.IOException;
import java.nio.file.Path;

/** How a file system keeps folders from growing beyond what they were made for. */
interface FolderLimits {
    /** A file system that cannot: folders grow as long as there is room. */
    FolderLimits NONE = new FolderLimits() {
        @Override
        public void begin(Path folder, long bytes) {
            // Nothing would hold it.
        }

        @Override
        public void change(Path folder, long bytes) {
            // Nothing held it before.
        }

        @Override
        public Runnable ending(Path folder) {
            return () -> {};
        }
    };

    /** The folder is new and empty; all that is ever made in it counts. */
    void begin(Path folder, long bytes) throws IOException;

    /** The folder may hold so much from now on. One that never had a limit goes without. */
    void change(Path folder, long bytes) throws IOException;

    /** The folder is about to be removed; what is answered forgets its limit afterwards. */
    Runnable ending(Path folder) throws IOException;
}
