/** Revisions and watches over keys: the contract every store keeps, and what passes through it. */
package io.argosy.store;
