package io.argosy.node.provisioner;

import java.io.IOException;
import java.nio.file.Path;

/** Where one node's local volumes lie: a folder each. May be asked for the same thing again. */
public interface Disk {
    /** Makes the folder, empty and lasting, and says where it is on the node. */
    Path make(String name) throws IOException;

    /** Removes the folder with all that is in it. A path that this disk cannot have made is refused. */
    void remove(Path folder) throws IOException;
}
