/**
 * What the server knows of the shape of objects, so that patching, applying, validating, encoding and documenting are written
 * once for all kinds. The schemas of the built-in kinds are made at build time from published artifacts.
 */
package io.argosy.api.schema;
