package io.argosy.server.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;

/** Which Kubernetes we are. */
public final class Version {
    public static final String GIT_VERSION = "v1.35.0+argosy";

    private Version() {}

    static ObjectNode json() {
        return Json.object()
                .put("major", "1")
                .put("minor", "35")
                .put("gitVersion", GIT_VERSION)
                .put("gitCommit", "")
                .put("gitTreeState", "clean")
                .put("buildDate", "2026-11-15T00:00:00Z")
                .put("goVersion", "none")
                .put("compiler", "javac")
                .put("platform", "linux/" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64"));
    }
}
