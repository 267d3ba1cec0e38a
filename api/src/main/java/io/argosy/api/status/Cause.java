package io.argosy.api.status;

/** One of the things wrong with an object: which rule, in words, and at which field. */
public record Cause(String reason, String message, String field) {}
