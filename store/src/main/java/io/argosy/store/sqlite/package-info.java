/** The embedded store: one SQLite file, one writer that shares each sync among waiting writes, readers beside it. */
package io.argosy.store.sqlite;
