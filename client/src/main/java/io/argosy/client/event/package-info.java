/**
 * Events: what a controller tells people about an object, counted when it repeats itself.
 */
package io.argosy.client.event;
