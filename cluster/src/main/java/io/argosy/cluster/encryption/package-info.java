/** The keys with which Secrets are encrypted where they are stored. */
package io.argosy.cluster.encryption;
