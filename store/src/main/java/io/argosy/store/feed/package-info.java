/** What the stores share in telling watches of changes. */
package io.argosy.store.feed;
