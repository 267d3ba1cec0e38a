package io.argosy.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** How objects of a custom resource come from one version to another. */
interface VersionConversion {
    /** Versions that differ in nothing but their names. */
    VersionConversion BY_NAME = new VersionConversion() {
        @Override
        public void convert(List<ObjectNode> objects, String apiVersion) {
            objects.forEach(object -> object.put("apiVersion", apiVersion));
        }

        @Override
        public boolean asksOthers() {
            return false;
        }
    };

    /** Each object is of the version it says; the trees are changed. */
    void convert(List<ObjectNode> objects, String apiVersion);

    boolean asksOthers();
}
