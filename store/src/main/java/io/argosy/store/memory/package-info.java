/** A store without a disk, for clusters that live as long as a test. */
package io.argosy.store.memory;
