package io.argosy.operators.cluster;

import io.argosy.operators.etcd.Endpoint.ClientCredentials;

/**
 * The certificates of a cluster, as far as its members and its status are concerned.
 *
 * @param credentials what the operator shows to members; null without TLS, or if there are none
 * @param trust by which it is known whether a member was started with the present bundle of authorities; null if nobody says
 * @param cutOff whether members that were started with another bundle cannot talk to those that were started with this one
 * @param good whether all of them can be used
 * @param reason null without TLS
 */
record Certificates(
        ClientCredentials credentials, String trust, boolean cutOff, boolean good, String reason, String message) {
    static final Certificates NONE = new Certificates(null, null, false, true, null, null);
}
