package io.argosy.server.rest;

import io.argosy.server.authn.User;

/**
 * What a caller in this process is called where it owns fields: by the program that does its work in other clusters, since people and tools
 * name these when they say whose fields they leave alone.
 */
final class Programs {
    private Programs() {}

    static String of(User user) {
        String name = user.name();
        if (name.startsWith("system:serviceaccount:kube-system:")) {
            return "kube-controller-manager";
        }
        if (name.startsWith("system:node:")) {
            return "kubelet";
        }
        return switch (name) {
            case "system:kube-scheduler" -> "kube-scheduler";
            case "system:apiserver" -> "kube-apiserver";
            default -> name;
        };
    }
}
