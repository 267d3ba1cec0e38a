/** A cluster in a test: {@link io.argosy.junit.ArgosyTest} starts it, {@link io.argosy.junit.Cluster} turns its clock and breaks its parts. */
package io.argosy.junit;
