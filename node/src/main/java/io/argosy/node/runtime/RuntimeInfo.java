package io.argosy.node.runtime;

/** The runtime's name and version as the Node object shows them, the conditions that make the node Ready, and what it can. */
public record RuntimeInfo(String name, String version, Condition runtime, Condition network, Features features) {

    /** What not every runtime and kernel can do for a pod. */
    public record Features(boolean userNamespaces, boolean recursiveReadOnly, boolean appArmor) {}

    /** One yes or no with its reason; reason and message are empty when ready. */
    public record Condition(boolean ready, String reason, String message) {
        public static final Condition READY = new Condition(true, "", "");

        public static Condition notReady(String reason, String message) {
            return new Condition(false, reason, message);
        }
    }
}
