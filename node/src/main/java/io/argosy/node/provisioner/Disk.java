package io.argosy.node.provisioner;

import java.io.IOException;
import java.nio.file.Path;

/** Where one node's local volumes lie: a folder each. May be asked for the same thing again. */
public interface Disk {
    /** Makes the folder, empty and lasting, for so many bytes, and says where it is on the node. */
    Path make(String name, long bytes) throws IOException;

    /** Lets a folder made here hold so many bytes from now on, where the disk can limit that. One that is not there, or not of this disk, is left alone. */
    void resize(Path folder, long bytes) throws IOException;

    /** Removes the folder with all that is in it. A path that this disk cannot have made is refused. */
    void remove(Path folder) throws IOException;
}
