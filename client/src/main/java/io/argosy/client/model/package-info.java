/**
 * Model classes and JSON: where objects of a class live in the API, and how they are read and written.
 */
package io.argosy.client.model;
