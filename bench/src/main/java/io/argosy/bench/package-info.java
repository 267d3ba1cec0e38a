/** The benchmark programs. */
package io.argosy.bench;
