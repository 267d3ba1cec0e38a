/**
 * Election of one among several processes, by a Lease that its holder keeps renewing.
 */
package io.argosy.client.leader;
