/**
 * Local copies of all objects of a kind, kept current by list and watch, with indexes and handlers.
 */
package io.argosy.client.informer;
