/**
 * Pods on this machine through runc, conmon, CNI plugins and overlayfs; {@link io.argosy.node.runtime.oci.OciRuntime}
 * is the only class others need.
 */
package io.argosy.node.runtime.oci;
