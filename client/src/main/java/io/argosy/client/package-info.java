/**
 * What a controller in Java stands on: a typed client of any Kubernetes, and the small types around it.
 *
 * <p>Begin with {@link io.argosy.client.http.Kubeconfig} and {@link io.argosy.client.http.HttpTransport}, make a
 * {@link io.argosy.client.TypedClient} of the transport, and ask it for the {@link io.argosy.client.Resources} of a model class of fabric8 or
 * of your own {@code CustomResource}. {@link io.argosy.client.informer.SharedInformers} keep local copies up to date;
 * {@link io.argosy.client.controller.Controller} calls your {@link io.argosy.client.controller.Reconciler} when something has changed.
 */
package io.argosy.client;
