/**
 * The loop of a controller: keys that changed go into a work queue, and workers bring the world to what the object of each key says.
 */
package io.argosy.client.controller;
