/** A cluster's state in one file, and from one store to another. */
package io.argosy.cluster.backup;
