/**
 * The way to an API server over HTTPS, as a kubeconfig or a service account in a pod describes it.
 */
package io.argosy.client.http;
