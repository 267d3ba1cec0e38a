/** What objects look like in a store that upstream Kubernetes reads too. */
package io.argosy.server.storage;
